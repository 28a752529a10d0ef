import type { ModelCause, ModelKind } from "@signalbox/contract";
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
  /** Which of the agent's models it is; by its kind its failures are counted and shown. */
  kind?: ModelKind;
  inputCreditsPerMillion?: number;
  outputCreditsPerMillion?: number;
  /** Its last call failed, as far as is known. */
  isFailing?: boolean;
}

export interface ModelFailure {
  kind: "failed";
  cause: ModelCause | "called_off";
  /** For the operator: it may quote the model's server, never the key. */
  detail: string;
  retryAfterMs?: number;
  /** The agent has used what it may; the model was not asked. */
  isOwnLimit?: true;
}

/** Why a model that takes too long is left, where another can still be asked in its place. */
export class TooSlow extends Error {}

export interface ModelCall {
  path: "/chat/completions" | "/embeddings" | "/audio/speech";
  body: object;
  signal: AbortSignal | undefined;
}

const TOO_LATE = "the model did not reply in time";
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
    const { message, param, code } = errorIn(parsed(body));
    const said = typeof message === "string" ? message : body;
    super(`${status} ${said === "" ? "without a reason" : said}`);
    this.status = status;
    this.param = typeof param === "string" ? param : undefined;
    this.code = typeof code === "string" ? code : undefined;
    this.retryAfterMs = readRetryAfter(headers);
  }
}

/** Under `error`, as OpenAI has it; Gemini puts that into a list, vLLM leaves it out, LM Studio has the message alone. */
function errorIn(body: unknown): Record<string, unknown> {
  const [first = body] = Array.isArray(body) ? (body as unknown[]) : [];
  if (typeof first !== "object" || first === null) return {};
  const { error = first } = first as { error?: unknown };
  if (typeof error === "string") return { message: error };
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
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
  const said = String(await readWhole(pieces));
  // What it says is shown to operators, who may not read the key.
  throw new ModelRefusal(status, headers, key === undefined ? said : said.replaceAll(key, "[key]"));
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
  if (signal?.aborted === true)
    return signal.reason instanceof TooSlow
      ? failure("timeout", TOO_LATE)
      : failure("called_off", "the call was called off");
  if (error instanceof Undelivered || error instanceof StreamBroken) {
    const { cause, detail } = error.failure;
    if (cause === "timeout") return failure("timeout", TOO_LATE);
    return failure(cause === "forbidden_address" ? cause : "unreachable", detail);
  }
  if (!(error instanceof ModelRefusal))
    return failure("malformed_reply", error instanceof Error ? error.message : String(error));
  const { message, retryAfterMs } = error;
  const described = failure(causeOfRefusal(error), message);
  return retryAfterMs === undefined ? described : { ...described, retryAfterMs };
}

function failure(cause: ModelFailure["cause"], detail: string): ModelFailure {
  return { kind: "failed", cause, detail };
}

const NO_CREDIT = "insufficient_quota";
const NAMES_KEY = /\bapi[ _-]?key\b.{0,40}\b(?:not valid|invalid|expired|incorrect)\b/i;
const NAMES_MODEL = /\b(?:models?|deployment)\b/i;

function causeOfRefusal({ status, code, param, message }: ModelRefusal): ModelFailure["cause"] {
  if (status === 402 || code === NO_CREDIT) return "no_credit";
  if (status === 429) return "rate_limited";
  // Gemini calls a wrong key an invalid argument.
  if (status === 401 || status === 403 || (status === 400 && NAMES_KEY.test(message))) return "unauthorised";
  if (status >= 500 || status === 408) return "unavailable";
  // Servers without a model of this name say so with 404, and those without the API say it of the path.
  if (code === "model_not_found" || (status === 404 && NAMES_MODEL.test(message))) return "unknown_model";
  if (status === 400 && param === "model") return "unknown_model";
  // A redirect is not followed.
  return status < 400 || status === 404 || status === 405 ? "no_api" : "bad_request";
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
