import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
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

/** The SDK over our own way out. It reads the environment for what it is not told, so it is told everything. */
export function openModelClient(outbound: Pick<Outbound, "stream">, address: ModelAddress): OpenAI {
  return new OpenAI({
    apiKey: address.key ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: address.url,
    defaultHeaders: address.key === undefined ? { authorization: null } : {},
    // Ours runs over the whole exchange and comes first; the SDK's own would end it without saying why.
    timeout: address.timeoutMs * 2,
    // Whoever asks knows whether a second try is worth its time.
    maxRetries: 0,
    logLevel: "off",
    fetch: (input, init) => exchange(outbound, address.timeoutMs, input, init),
  });
}

async function exchange(
  outbound: Pick<Outbound, "stream">,
  timeoutMs: number,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  const ending = new AbortController();
  const end = () => ending.abort();
  init?.signal?.addEventListener("abort", end, { once: true });
  if (init?.signal?.aborted === true) end();
  const answer = await outbound.stream({
    url: input instanceof Request ? input.url : input.toString(),
    method: init?.method?.toUpperCase() === "GET" ? "GET" : "POST",
    headers: Object.fromEntries(new Headers(init?.headers)),
    ...(typeof init?.body === "string" ? { body: init.body } : {}),
    timeoutMs,
    signal: ending.signal,
  });
  if (answer.kind === "unanswered") throw new Undelivered(answer);
  return new Response(ReadableStream.from(capped(answer.body, ending)), {
    status: answer.status < 200 ? 502 : answer.status,
    headers: answer.headers,
  });
}

async function* capped(pieces: AsyncGenerator<Buffer>, ending: AbortController): AsyncGenerator<Uint8Array> {
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
    if (!isOver) void readToEnd(pieces, ending);
  }
}

/**
 * The SDK stops at the last event, and servers end their answer a moment later. Read to its end, the connection serves the next
 * call; cut off, that call would have to connect anew, with a handshake.
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
export function describeModelFailure(error: unknown): ModelFailure {
  const unanswered = unansweredIn(error);
  if (error instanceof APIUserAbortError) return failure("called_off", "the call was called off");
  if (error instanceof APIConnectionTimeoutError || unanswered?.cause === "timeout")
    return failure("timeout", "the model did not reply in time");
  if (unanswered !== undefined) return failure("unreachable", unanswered.detail);
  if (!(error instanceof APIError) || error.status === undefined)
    return failure("malformed_reply", error instanceof Error ? error.message : String(error));
  const { status, message } = error;
  const retryAfterMs = readRetryAfter(error.headers);
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

function unansweredIn(error: unknown): Unanswered | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Undelivered) return cause.failure;
    if (cause instanceof StreamBroken) return cause.failure;
  }
  return undefined;
}

function readRetryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return milliseconds;
  const written = headers?.get("retry-after");
  if (written === null || written === undefined) return undefined;
  const seconds = Number(written);
  if (Number.isFinite(seconds)) return seconds * 1000;
  const date = Date.parse(written);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
