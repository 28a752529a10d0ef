import type { Cause } from "@signalbox/contract";
import { causeOf, type Outcome } from "./attempt-outcome.ts";

// The three retry schedules side by side: deliveries (backoff), urgent ones (somebody waits), and probes of an open breaker.

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

const LAST_TRY_MIN_MS = 1_000;
const GONE = 410;

/** Leaving out a case does not compile. */
export function nextStep(outcome: Outcome, facts: AttemptFacts, policy: RetryPolicy): NextStep {
  switch (outcome.kind) {
    case "delivered":
      return { do: "finish" };
    case "no_destination":
    case "destination_down":
      return { do: "give_up", cause: outcome.kind };
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

const PAUSE_MS = 500;

/** Somebody waits for the answer, so the call follows no backoff. */
export function nextUrgentStep(outcome: Outcome, number: number, tries: number): NextStep {
  const cause = causeOf(outcome);
  if (cause === undefined) return { do: "finish" };
  const isHopeless =
    outcome.kind === "no_destination" ||
    outcome.kind === "destination_down" ||
    (outcome.kind === "unanswered" && outcome.cause === "invalid_request") ||
    (outcome.kind === "refused" && outcome.status === GONE);
  return isHopeless || number >= tries ? { do: "give_up", cause } : { do: "retry", inMs: PAUSE_MS };
}

/** Backoff of an open breaker: the wait before the first probe, before the second, and so on; the last repeats. */
const PROBE_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

export function probeDelayMs(tries: number, jitter: number): number {
  const delayMs = PROBE_DELAYS_MS[Math.min(tries, PROBE_DELAYS_MS.length - 1)] ?? 0;
  return Math.round(delayMs * (1 + 0.2 * jitter));
}
