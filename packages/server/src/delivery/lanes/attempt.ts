import { CALL_OF_EVENT, developerCalls, developerCallUrl, type DeliveryEvent } from "@signalbox/contract";
import { startSpan, traceparentOf, type Metrics, type Timings } from "../../platform/index.ts";
import {
  callDeveloper,
  redactReply,
  type CallParts,
  type Destination,
  type Proof,
  type RequestFacts,
} from "../../webhooks/index.ts";
import { causeOf, outcomeOf, type Outcome } from "../attempts/attempt-outcome.ts";
import type { Claim, PendingDelivery } from "./lane-store.ts";

export interface Attempted {
  outcome: Outcome;
  durationMs: number;
  /** Where that time went. */
  timings?: Timings | undefined;
  url: string | undefined;
  /** Undefined when nothing was sent. */
  proof: Proof | undefined;
  /** What the developer answered, shortened and without our credentials. */
  responseBody: Buffer | undefined;
  /** W3C trace context that was sent along. */
  traceparent: string | undefined;
}

/** One POST of one delivery. Credentials and signature are made anew each time; id and body never change. */
export async function attempt(
  parts: CallParts & { metrics: Metrics },
  destination: Destination,
  claim: Claim,
  delivery: PendingDelivery,
): Promise<Attempted> {
  const begun = performance.now();
  const span = startSpan("webhook.attempt", "client", delivery.traceparent);
  const traceparent = traceparentOf(span);
  const url = developerCallUrl(destination.url, CALL_OF_EVENT[delivery.event]);
  const { result, proof } = await callDeveloper(parts, destination, {
    id: webhookIdOf(delivery),
    url,
    body: delivery.body,
    sentAt: claim.now(),
    facts: {
      ...factsOf(delivery, claim.conversationId, delivery.attempts + 1, traceparent),
      subject: claim.conversationId,
    },
  });
  const judged = outcomeOf(result, destination.strictAcknowledgement, claim.now());
  // The status alone decides a call of 4.6 to 4.8: their body is not the one of 4.5.
  const outcome =
    goesToDesk(delivery.event) && judged.kind === "delivered" ? { ...judged, acknowledged: true } : judged;
  const durationMs = performance.now() - begun;
  span
    .setAttributes({
      "signalbox.delivery": delivery.id,
      "signalbox.conversation": claim.conversationId,
      "signalbox.attempt": delivery.attempts + 1,
      "signalbox.outcome": outcome.kind,
    })
    .end();
  parts.metrics.attemptSeconds.observe({ cause: causeOf(outcome) ?? "delivered" }, durationMs / 1000);
  return {
    outcome,
    durationMs: Math.round(durationMs),
    timings: result.timings,
    url,
    proof,
    traceparent,
    // A delivery that went as it should needs no evidence; everything else keeps what the developer said.
    responseBody:
      result.kind === "unanswered" || (outcome.kind === "delivered" && outcome.acknowledged)
        ? undefined
        : redactReply(result.body, destination),
  };
}

function goesToDesk(event: DeliveryEvent): boolean {
  return developerCalls[CALL_OF_EVENT[event]].target === "human_service";
}

type Identified = Pick<PendingDelivery, "id" | "seq" | "event" | "sender" | "replayOf" | "replaySeq">;

/** A replay is, to its receiver, the message it repeats. */
export function webhookIdOf({ id, replayOf }: Pick<Identified, "id" | "replayOf">): string {
  return replayOf ?? id;
}

/** The log tells the headers of an attempt by the same rule. */
export function factsOf(
  delivery: Identified,
  conversationId: string,
  number: number,
  traceparent: string | null | undefined,
): RequestFacts {
  const { seq, event, sender, replayOf, replaySeq } = delivery;
  return {
    event,
    sender,
    attempt: number,
    sequence: replaySeq ?? seq,
    // The body of 2.5 names its conversation, and an operator's event belongs to none.
    ...(goesToDesk(event) ? { conversation: conversationId } : {}),
    ...(replayOf === null ? {} : { replay: true }),
    ...(traceparent === undefined || traceparent === null ? {} : { traceparent }),
  };
}
