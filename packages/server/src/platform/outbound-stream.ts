import { request, type Dispatcher } from "undici";

export interface OutboundRequest {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string | Buffer;
  /** From the first thought of connecting to the last byte of the answer. */
  timeoutMs: number;
  /** The longest silence between two bytes of the answer; `timeoutMs` when left out. */
  idleTimeoutMs?: number;
  signal?: AbortSignal;
}

export interface OutboundStream {
  kind: "answered";
  status: number;
  /** Names in lower case; of a repeated header the first. */
  headers: Record<string, string>;
  /** Read it to its end or call `return`; it throws `StreamBroken` when the answer ends too early. */
  body: AsyncGenerator<Buffer>;
}

/** The answer had begun and then broke off. */
export class StreamBroken<Failure> extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super("the answer broke off");
    this.failure = failure;
  }
}

/**
 * One exchange whose answer is read piece by piece. Redirects are not followed and nothing is inflated: whoever asks
 * judges both. The caller of this function says how an error is described.
 */
export async function openStream<Failure>(
  dispatcher: Dispatcher,
  asked: OutboundRequest,
  describe: (error: unknown, hasTimedOut: boolean) => Failure,
): Promise<OutboundStream | Failure> {
  const ending = new AbortController();
  const timedOut = Promise.withResolvers<never>();
  timedOut.promise.catch(() => {});
  let hasTimedOut = false;
  const end = (reason: Error) => {
    ending.abort(reason);
    // undici hears an abort only once it is connected.
    timedOut.reject(reason);
  };
  const timer = setTimeout(() => {
    hasTimedOut = true;
    end(new Error("no complete answer within the deadline"));
  }, asked.timeoutMs);
  const onAbort = () => end(new Error("the request was called off"));
  asked.signal?.addEventListener("abort", onAbort);
  if (asked.signal?.aborted === true) onAbort();
  const settle = () => {
    clearTimeout(timer);
    asked.signal?.removeEventListener("abort", onAbort);
  };
  const idleTimeoutMs = asked.idleTimeoutMs ?? asked.timeoutMs;
  try {
    const answering = request(asked.url, {
      dispatcher,
      method: asked.method,
      headers: { ...asked.headers, "accept-encoding": "identity" },
      body: asked.body ?? null,
      signal: ending.signal,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
    });
    // When the deadline wins the race, nobody else hears of a late failure.
    answering.catch(() => {});
    const answer = await Promise.race([answering, timedOut.promise]);
    return {
      kind: "answered",
      status: answer.statusCode,
      headers: firstOfEach(answer.headers),
      body: pieces(answer.body),
    };
  } catch (error) {
    settle();
    return describe(error, hasTimedOut);
  }

  async function* pieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of body) yield piece;
    } catch (error) {
      throw new StreamBroken(describe(error, hasTimedOut));
    } finally {
      settle();
    }
  }
}

function firstOfEach(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first]];
    }),
  );
}
