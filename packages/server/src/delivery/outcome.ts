import type { Cause } from "@signalbox/contract";
import type { OutboundResult, UnansweredCause } from "../platform/index.ts";

/** How one attempt ended. An attempt never throws. */
export type Outcome =
  | { kind: "delivered"; status: 200; acknowledged: boolean }
  | { kind: "unacknowledged"; status: 200 }
  | { kind: "refused"; status: number; retryAfterMs: number | undefined }
  | { kind: "unanswered"; cause: UnansweredCause; detail: string }
  /** The webhook or its agent was deleted. */
  | { kind: "no_destination" }
  /** No sealing key opens the webhook's secrets. */
  | { kind: "unreadable_secret" };

/** What becomes of the message, and so of the lane behind it. */
export type NextStep =
  | { do: "finish" }
  | { do: "retry"; inMs: number }
  | { do: "give_up"; cause: Cause }
  | { do: "disable_destination" };

export interface RetryPolicy {
  /** The wait after the first failure, after the second, and so on; the last repeats. */
  delaysMs: readonly number[];
  /** How long one message may hold up its lane while its destination answers otherwise. */
  blockedMaxMs: number;
}

export interface AttemptFacts {
  /** Counts from 1. */
  number: number;
  /** How long this message has held up its lane. */
  blockedForMs: number;
  /** Between 0 and 1. */
  jitter: number;
}

const RETRY_AFTER_MAX_MS = 3_600_000;
const LAST_TRY_MIN_MS = 1_000;
const GONE = 410;
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

/** Leaving out a case does not compile. */
export function nextStep(outcome: Outcome, facts: AttemptFacts, policy: RetryPolicy): NextStep {
  switch (outcome.kind) {
    case "delivered":
      return { do: "finish" };
    case "no_destination":
      return { do: "give_up", cause: "no_destination" };
    case "refused":
      if (outcome.status === GONE) return { do: "disable_destination" };
      return retryOrGiveUp("http_status", facts, policy, outcome.retryAfterMs ?? 0);
    case "unanswered":
      // Nothing was sent because nothing can be: the next attempt would build the same request.
      if (outcome.cause === "invalid_request") return { do: "give_up", cause: outcome.cause };
      return retryOrGiveUp(outcome.cause, facts, policy, 0);
    case "unacknowledged":
    case "unreadable_secret":
      return retryOrGiveUp(outcome.kind, facts, policy, 0);
  }
}

function retryOrGiveUp(
  cause: Cause,
  facts: AttemptFacts,
  { delaysMs, blockedMaxMs }: RetryPolicy,
  askedMs: number,
): NextStep {
  const leftMs = blockedMaxMs - facts.blockedForMs;
  if (leftMs <= 0) return { do: "give_up", cause };
  const delayMs = delaysMs[Math.min(facts.number, delaysMs.length) - 1] ?? 0;
  // Up to a fifth longer, never shorter: messages that failed together do not come back together.
  const waitMs = Math.max(delayMs * (1 + 0.2 * facts.jitter), askedMs);
  // The last try comes when the time is up, not a whole delay later; a developer's own wish is kept all the same.
  return {
    do: "retry",
    inMs: Math.round(Math.max(Math.min(waitMs, Math.max(leftMs, LAST_TRY_MIN_MS)), askedMs)),
  };
}

/** Any answer but "too many" or "I am broken" shows that the destination lives; then it is the message that fails. */
export function provesLife(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case "delivered":
    case "unacknowledged":
      return true;
    case "refused":
      return outcome.status !== TOO_MANY && outcome.status < 500;
    case "unanswered":
    case "no_destination":
    case "unreadable_secret":
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
      return outcome.kind;
  }
}

/** A date is read by the clock of whoever wrote it: one that is days off asks for a minute all the same. */
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
