import type { Cause } from "@signalbox/contract";
import type { OutboundResult, UnansweredCause } from "../../platform/index.ts";

/** How one attempt ended. An attempt never throws. */
export type Outcome =
  | { kind: "delivered"; status: 200; acknowledged: boolean }
  | { kind: "unacknowledged"; status: 200 }
  | { kind: "refused"; status: number; retryAfterMs: number | undefined }
  | { kind: "unanswered"; cause: UnansweredCause; detail: string }
  /** The webhook or its agent was deleted. */
  | { kind: "no_destination" }
  /** No sealing key opens the webhook's secrets. */
  | { kind: "unreadable_secret" }
  /** Nothing was sent: the destination is known to be down, and this could not wait. */
  | { kind: "destination_down" };

const RETRY_AFTER_MAX_MS = 3_600_000;
const TOO_MANY = 429;

/** Rule 4.5: HTTP 200 is delivered. A body other than `{code: 200, msg: "success"}` fails only a webhook set to be strict. */
export function outcomeOf(result: OutboundResult, strictAcknowledgement: boolean, now: Date): Outcome {
  if (result.kind === "unanswered") return { kind: "unanswered", cause: result.cause, detail: result.detail };
  if (result.status !== 200) {
    return { kind: "refused", status: result.status, retryAfterMs: readRetryAfter(result, now) };
  }
  const acknowledged = isAcknowledgement(result.body);
  if (!acknowledged && strictAcknowledgement) return { kind: "unacknowledged", status: 200 };
  return { kind: "delivered", status: 200, acknowledged };
}

/** Any answer but 429 and 5xx shows that the destination is alive; then it is the message that fails. */
export function isAlive(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case "delivered":
    case "unacknowledged":
      return true;
    case "refused":
      return outcome.status !== TOO_MANY && outcome.status < 500;
    case "unanswered":
    case "no_destination":
    case "unreadable_secret":
    case "destination_down":
      return false;
  }
}

/** The stable word under which an attempt is logged and counted, one of the contract's; undefined for a delivery. */
export function causeOf(outcome: Outcome): Cause | undefined {
  switch (outcome.kind) {
    case "delivered":
      return undefined;
    case "refused":
      return "http_status";
    case "unacknowledged":
      return "unacknowledged";
    case "unanswered":
      return outcome.cause;
    case "no_destination":
    case "unreadable_secret":
    case "destination_down":
      return outcome.kind;
  }
}

/** A date is read by the sender's own clock: a clock that is days off still asks for a minute. */
function readRetryAfter(
  { retryAfter, date }: { retryAfter: string | undefined; date: string | undefined },
  now: Date,
): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+$/.test(retryAfter)) return Math.min(Number(retryAfter) * 1000, RETRY_AFTER_MAX_MS);
  const theirNowMs = readDate(date) ?? now.getTime();
  const atMs = readDate(retryAfter);
  return atMs === undefined ? undefined : Math.min(Math.max(atMs - theirNowMs, 0), RETRY_AFTER_MAX_MS);
}

/** Without a time of day it is no date of HTTP, whatever else a lenient parser makes of it. */
function readDate(text: string | undefined): number | undefined {
  const atMs = text !== undefined && /\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

function isAcknowledgement(body: Buffer): boolean {
  try {
    const reply: unknown = JSON.parse(body.toString("utf8"));
    return (
      typeof reply === "object" &&
      reply !== null &&
      "code" in reply &&
      reply.code === 200 &&
      "msg" in reply &&
      reply.msg === "success"
    );
  } catch {
    return false;
  }
}

const NEVER_SENT: ReadonlySet<Cause> = new Set<Cause>([
  "forbidden_address",
  "dns_not_found",
  "dns_failed",
  "connect_refused",
  "host_unreachable",
  "tls_expired",
  "tls_wrong_host",
  "tls_untrusted",
  "tls_failed",
  "invalid_request",
  "unreadable_secret",
  "no_destination",
  "destination_down",
]);

/** Rule 11: true when a failed attempt may have been taken all the same. A clear refusal was not. */
export function mayHaveArrived({
  cause,
  httpStatus,
}: {
  cause: Cause;
  httpStatus: number | undefined;
}): boolean {
  if (cause !== "http_status") return !NEVER_SENT.has(cause);
  // 201, 202 and 204 say that it was taken. A broken desk or gateway says nothing about what was done before.
  const isSuccess = httpStatus !== undefined && httpStatus >= 200 && httpStatus <= 299;
  return isSuccess || httpStatus === 500 || httpStatus === 502 || httpStatus === 504;
}
