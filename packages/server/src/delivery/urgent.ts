import type { Cause, DeliveryEvent } from "@signalbox/contract";
import type { NextStep, Outcome } from "./outcome.ts";
import { causeOf } from "./outcome.ts";

/** How a component wants to be asked. As shipped, three tries of three seconds end within the ten a user is made to wait. */
export interface UrgentLimits {
  timeoutMs: number;
  tries: number;
}

const PAUSE_MS = 500;

/** Rule 4.6: somebody waits for the answer, so the call follows neither the timetable nor pacing. */
export function isUrgent(event: DeliveryEvent): boolean {
  return event === "handoff_requested";
}

export function nextUrgentStep(outcome: Outcome, number: number, { tries }: UrgentLimits): NextStep {
  const cause = causeOf(outcome);
  if (cause === undefined) return { do: "finish" };
  const isHopeless =
    outcome.kind === "no_destination" ||
    outcome.kind === "destination_down" ||
    (outcome.kind === "unanswered" && outcome.cause === "invalid_request") ||
    (outcome.kind === "refused" && outcome.status === 410);
  return isHopeless || number >= tries ? { do: "give_up", cause } : { do: "retry", inMs: PAUSE_MS };
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

/** Rule 11: true when a failed attempt may have been taken all the same. A refusal in so many words is one. */
export function mayHaveArrived({
  cause,
  httpStatus,
}: {
  cause: Cause;
  httpStatus: number | undefined;
}): boolean {
  if (cause !== "http_status") return !NEVER_SENT.has(cause);
  // A broken desk or a gateway in front of it says nothing about what was done before.
  return httpStatus === 500 || httpStatus === 502 || httpStatus === 504;
}
