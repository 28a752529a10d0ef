import type { Pool } from "undici";
import { countInterimAnswers, describeFailure, unanswered, type Unanswered } from "./outbound-failure.ts";

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
export class StreamBroken extends Error {
  readonly failure: Unanswered;

  constructor(failure: Unanswered) {
    super("the answer broke off");
    this.failure = failure;
  }
}

/**
 * One exchange whose answer is read piece by piece. Redirects are not followed and nothing is inflated: the caller
 * judges both.
 */
export async function openStream(
  pool: Pool,
  url: URL,
  { method, headers, body, timeoutMs, idleTimeoutMs = timeoutMs, signal }: OutboundRequest,
): Promise<OutboundStream | Unanswered> {
  const ending = new AbortController();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let outcome: Unanswered | undefined;
  const end = (why: Unanswered) => {
    outcome = why;
    ending.abort();
    // undici hears an abort only once it is connected.
    ended.reject(new Error(why.detail));
  };
  const timer = setTimeout(
    () => end(unanswered("timeout", "no complete answer within the deadline")),
    timeoutMs,
  );
  const onAbort = () => end(unanswered("connection_lost", "the request was called off"));
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) onAbort();
  const settle = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  try {
    const answering = pool.request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, "accept-encoding": "identity" },
      body: body ?? null,
      signal: ending.signal,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      onInfo: countInterimAnswers(ending),
    });
    // When the deadline wins the race, nobody else hears of a late failure.
    answering.catch(() => {});
    const answer = await Promise.race([answering, ended.promise]);
    return {
      kind: "answered",
      status: answer.statusCode,
      headers: firstOfEach(answer.headers),
      body: pieces(answer.body),
    };
  } catch (error) {
    settle();
    return outcome ?? describeFailure(error);
  }

  async function* pieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of body) yield piece;
    } catch (error) {
      throw new StreamBroken(outcome ?? describeFailure(error));
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
