import { readWhole } from "./model-events.ts";
import type { Unanswered } from "./outbound-failure.ts";
import type { Outbound } from "./outbound-http.ts";
import { StreamBroken } from "./outbound-stream.ts";

/** Any server that speaks OpenAI's API. */
export interface ModelAddress {
  /** Up to and including /v1. */
  url: string;
  key: string | undefined;
  model: string;
  timeoutMs: number;
}

export interface ModelFailure {
  kind: "failed";
  cause:
    | "rate_limited"
    /** The agent has used its tokens of the day. */
    | "over_quota"
    | "unauthorised"
    | "bad_request"
    | "unavailable"
    | "unreachable"
    | "timeout"
    | "called_off"
    | "refused"
    | "malformed_reply";
  /** For the operator: it may quote the model's server, never the key. */
  detail: string;
  retryAfterMs?: number;
}

export interface ModelCall {
  path: "/chat/completions" | "/embeddings" | "/audio/speech";
  body: object;
  signal: AbortSignal | undefined;
}

const REPLY_BYTES_MAX = 32 * 1_048_576;
/** What may come behind the last event. */
const END_BYTES_MAX = 65_536;
const END_WITHIN_MS = 1_000;

class Undelivered extends Error {
  readonly failure: Unanswered;

  constructor(failure: Unanswered) {
    super(failure.detail);
    this.failure = failure;
  }
}

/** The server's own failure, with the field it does not understand where it names one. */
export class ModelRefusal extends Error {
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, headers: Record<string, string>, body: string) {
    const { error } = (parsed(body) ?? {}) as { error?: unknown };
    const { message, param, code } = (typeof error === "object" && error !== null ? error : {}) as Record<
      string,
      unknown
    >;
    const said = typeof message === "string" ? message : typeof error === "string" ? error : body;
    super(`${status} ${said === "" ? "without a reason" : said}`);
    this.status = status;
    this.param = typeof param === "string" ? param : undefined;
    this.code = typeof code === "string" ? code : undefined;
    this.retryAfterMs = readRetryAfter(headers);
  }
}

/** One call, with the reply as it comes: read it to its end, or leave it. Fails with what `describeModelFailure` knows. */
export async function callModel(
  outbound: Pick<Outbound, "stream">,
  { url, key, timeoutMs }: ModelAddress,
  { path, body, signal }: ModelCall,
): Promise<AsyncGenerator<Buffer>> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener("abort", end);
  if (signal?.aborted === true) end();
  const answer = await outbound.stream({
    url: `${url.endsWith("/") ? url.slice(0, -1) : url}${path}`,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "Signalbox",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    timeoutMs,
    signal: ending.signal,
  });
  const settle = () => signal?.removeEventListener("abort", end);
  if (answer.kind === "unanswered") {
    settle();
    throw new Undelivered(answer);
  }
  const pieces = capped(answer.body, ending, settle);
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return pieces;
  throw new ModelRefusal(status, headers, String(await readWhole(pieces)));
}

async function* capped(
  pieces: AsyncGenerator<Buffer>,
  ending: AbortController,
  settle: () => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let isOver = false;
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      bytes += next.value.length;
      if (bytes > REPLY_BYTES_MAX) throw new Error(`the reply has more than ${REPLY_BYTES_MAX} bytes`);
      yield next.value;
    }
    isOver = true;
  } finally {
    settle();
    if (!isOver) void readToEnd(pieces, ending);
  }
}

/**
 * Nobody reads on behind the last event, and servers end their answer a moment later. Read to its end, the connection serves the
 * next call; cut off, that call would have to connect anew, with a handshake.
 */
async function readToEnd(pieces: AsyncGenerator<Buffer>, ending: AbortController): Promise<void> {
  const timer = setTimeout(() => ending.abort(), END_WITHIN_MS).unref();
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > END_BYTES_MAX) break;
    }
  } catch {
    // It broke off, or was called off: nobody waits for it.
  } finally {
    clearTimeout(timer);
  }
}

/** Every way a call can end without a reply, as a value. */
export function describeModelFailure(error: unknown, signal: AbortSignal | undefined): ModelFailure {
  if (signal?.aborted === true) return failure("called_off", "the call was called off");
  if (error instanceof Undelivered || error instanceof StreamBroken) {
    const { cause, detail } = error.failure;
    return cause === "timeout"
      ? failure("timeout", "the model did not reply in time")
      : failure("unreachable", detail);
  }
  if (!(error instanceof ModelRefusal))
    return failure("malformed_reply", error instanceof Error ? error.message : String(error));
  const { status, message, retryAfterMs } = error;
  const described = failure(causeOfStatus(status), message);
  return retryAfterMs === undefined ? described : { ...described, retryAfterMs };
}

function failure(cause: ModelFailure["cause"], detail: string): ModelFailure {
  return { kind: "failed", cause, detail };
}

function causeOfStatus(status: number): ModelFailure["cause"] {
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "unauthorised";
  if (status >= 500 || status === 408) return "unavailable";
  // A redirect is not followed, so it is the address that is wrong.
  return status < 400 ? "unreachable" : "bad_request";
}

function readRetryAfter(headers: Record<string, string>): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return milliseconds;
  const written = headers["retry-after"];
  if (written === undefined) return undefined;
  const seconds = Number(written);
  if (Number.isFinite(seconds)) return seconds * 1000;
  const date = Date.parse(written);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
