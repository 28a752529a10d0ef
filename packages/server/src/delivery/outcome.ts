import type { OutboundResult, UnansweredCause } from "../platform/index.ts";

/** How one attempt ended. An attempt never throws. */
export type Outcome =
  | { kind: "delivered"; status: 200; acknowledged: boolean }
  | { kind: "refused"; status: number; retryAfterMs: number | undefined }
  | { kind: "unacknowledged"; status: 200 }
  | { kind: "unanswered"; cause: UnansweredCause; detail: string }
  | { kind: "no_destination" };

export type NextStep = { do: "finish" } | { do: "retry"; inMs: number } | { do: "give_up" };

const RETRY_AFTER_MAX_MS = 3_600_000;

/** Rule 4.5: HTTP 200 is delivered. A body other than `{code: 200, msg: "success"}` fails only a webhook set to be strict. */
export function outcomeOf(result: OutboundResult, strictAcknowledgement: boolean, now: Date): Outcome {
  if (result.kind === "unanswered") return result;
  if (result.status !== 200) {
    return { kind: "refused", status: result.status, retryAfterMs: readRetryAfter(result.retryAfter, now) };
  }
  const acknowledged = isAcknowledgement(result.body);
  if (!acknowledged && strictAcknowledgement) return { kind: "unacknowledged", status: 200 };
  return { kind: "delivered", status: 200, acknowledged };
}

/** `attempt` counts from 1; `jitter` is between 0 and 1. The n-th failure waits for the n-th delay, the last one for ever. */
export function nextStep(
  outcome: Outcome,
  attempt: number,
  delaysMs: readonly number[],
  jitter: number,
): NextStep {
  switch (outcome.kind) {
    case "delivered":
      return { do: "finish" };
    case "no_destination":
      return { do: "give_up" };
    case "refused":
    case "unacknowledged":
    case "unanswered": {
      const delayMs = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
      const askedMs = outcome.kind === "refused" ? (outcome.retryAfterMs ?? 0) : 0;
      // Up to a fifth longer, never shorter: messages that failed together do not come back together.
      return { do: "retry", inMs: Math.round(Math.max(delayMs * (1 + 0.2 * jitter), askedMs)) };
    }
  }
}

/** The stable word under which an attempt is logged and counted; undefined for a delivery. */
export function causeOf(outcome: Outcome): string | undefined {
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
      return "no_destination";
  }
}

function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MAX_MS);
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
