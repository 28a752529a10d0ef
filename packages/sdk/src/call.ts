import type { Pagination } from "@signalbox/contract";

/** A reply with its status and headers. */
export interface Answer<Reply> {
  reply: Reply;
  status: number;
  headers: Headers;
  /** Names this request in the service's log. */
  requestId: string | undefined;
}

export interface Call<Reply> extends Promise<Reply> {
  /** The reply together with status and headers. */
  withResponse(): Promise<Answer<Reply>>;
}

/**
 * A call of a list. `await` gives its first page; `for await` gives every entry, and asks for the next page when it is needed.
 */
export interface PagedCall<Page, Entry> extends Call<Page>, AsyncIterable<Entry> {
  /** Every page, from the one that was asked for. */
  pages(): AsyncIterable<Page>;
}

type Fields = Record<string, unknown>;

export function asCall(sending: Promise<Answer<unknown>>): Call<unknown> {
  const reply = sending.then((answer) => answer.reply);
  const withResponse = () => {
    // A caller that awaits the whole answer gets the failure there, and need not handle it twice.
    reply.catch(() => undefined);
    return sending;
  };
  return Object.assign(reply, { withResponse });
}

export function asPagedCall(
  pagination: Pagination,
  request: object,
  send: (request: object) => Promise<Answer<unknown>>,
): PagedCall<unknown, unknown> {
  const first = send(request);
  async function* pages(): AsyncGenerator<Fields, void, undefined> {
    let page = (await first).reply as Fields;
    let next = nextAfter(pagination, request, page);
    yield page;
    while (next !== undefined) {
      page = (await send(next)).reply as Fields;
      next = nextAfter(pagination, next, page);
      yield page;
    }
  }
  async function* entries(): AsyncGenerator<unknown, void, undefined> {
    for await (const page of pages()) yield* entriesOf(pagination, page);
  }
  const call = asCall(first);
  const heard = <Iterator>(begin: () => Iterator) => {
    // A caller that iterates gets the failure there, and need not handle it twice.
    call.catch(() => undefined);
    return begin();
  };
  return Object.assign(call, {
    pages: () => heard(pages),
    [Symbol.asyncIterator]: () => heard(entries),
  });
}

function entriesOf({ entries }: Pagination, page: Fields): unknown[] {
  const list = page[entries];
  return Array.isArray(list) ? list : [];
}

/** The request of the next page; undefined behind the last. */
function nextAfter(pagination: Pagination, request: Fields | object, page: Fields): object | undefined {
  if (pagination.by === "cursor") {
    const cursor = page["next_cursor"];
    return typeof cursor === "string" ? { ...request, cursor } : undefined;
  }
  const { page: number = 1, page_size } = request as { page?: number; page_size?: number };
  const count = entriesOf(pagination, page).length;
  const size = page_size ?? count;
  const total = Number(page["total"]);
  return count === 0 || number * size >= total
    ? undefined
    : { ...request, page: number + 1, page_size: size };
}
