import { DeliveryEvent } from "@signalbox/contract";
import type { DestinationRow } from "../../webhooks/index.ts";
import type { Outcome } from "../attempts/attempt-outcome.ts";
import { nextStep, type AttemptFacts, type NextStep, type RetryPolicy } from "../attempts/retry-schedule.ts";
import type { Reach } from "./reach.ts";
import type { Settled, Settlement } from "./settle.ts";

/** How deliveries of one event type are made. The code that enqueues an event of another kind hands in its policy. */
export interface DeliveryPolicy {
  /** The limit of one attempt. */
  timeoutMs(destination: DestinationRow | undefined): number;
  nextStep(outcome: Outcome, facts: AttemptFacts, destination: DestinationRow | undefined): NextStep;
  /** Somebody waits for it: it is neither parked nor rate limited, and its failure is an answer, not an operator's event. */
  isUrgent: boolean;
  /** Writes how a delivery ended and what follows from it, in one transaction; the outcome is written alone when undefined. */
  settle?(ended: EndedDelivery): Promise<Settled>;
}

/** A delivery that is delivered or dead-lettered, and was no replay. */
export interface EndedDelivery {
  conversationId: string;
  handoffId: string;
  settlement: Settlement;
  reach: Reach;
}

export type DeliveryPolicies = Readonly<Record<DeliveryEvent, DeliveryPolicy>>;

export interface DeliveryTimes {
  timeoutMs: number;
  retry: RetryPolicy;
}

/** Every event by the same timeout and backoff. */
export function commonPolicies({ timeoutMs, retry }: DeliveryTimes): DeliveryPolicies {
  const policy: DeliveryPolicy = {
    timeoutMs: () => timeoutMs,
    nextStep: (outcome, facts) => nextStep(outcome, facts, retry),
    isUrgent: false,
  };
  return Object.fromEntries(DeliveryEvent.options.map((event) => [event, policy])) as DeliveryPolicies;
}
