import { startSpan, type Metrics } from "../platform/index.ts";
import {
  callDeveloper,
  type CallParts,
  type Destination,
  type Proof,
  type RequestFacts,
} from "../webhooks/index.ts";
import type { Claim, PendingDelivery } from "./lane-store.ts";
import { causeOf, outcomeOf, type Outcome } from "./outcome.ts";
import { redactReply } from "./redact-reply.ts";

export interface Attempted {
  outcome: Outcome;
  durationMs: number;
  url: string | undefined;
  /** Undefined when nothing was sent. */
  proof: Proof | undefined;
  /** What the developer answered, shortened and without our credentials. */
  responseBody: Buffer | undefined;
}

/** One POST of one delivery. Credentials and signature are made anew each time; id and body never change. */
export async function attempt(
  { metrics, ...call }: CallParts & { metrics: Metrics },
  destination: Destination,
  claim: Claim,
  delivery: PendingDelivery,
): Promise<Attempted> {
  const begun = performance.now();
  const span = startSpan("webhook.attempt");
  const { result, proof } = await callDeveloper(call, destination, {
    id: webhookIdOf(delivery),
    url: destination.url,
    body: delivery.body,
    sentAt: claim.now(),
    facts: factsOf(delivery, claim.conversationId, delivery.attempts + 1),
  });
  const outcome = outcomeOf(result, destination.strictAcknowledgement, claim.now());
  const durationMs = performance.now() - begun;
  span
    .setAttributes({
      "signalbox.delivery": delivery.id,
      "signalbox.attempt": delivery.attempts + 1,
      "signalbox.outcome": outcome.kind,
    })
    .end();
  metrics.attemptSeconds.observe({ cause: causeOf(outcome) ?? "delivered" }, durationMs / 1000);
  return {
    outcome,
    durationMs: Math.round(durationMs),
    url: destination.url,
    proof,
    // A delivery that went as it should needs no evidence; everything else keeps what the developer said.
    responseBody:
      result.kind === "unanswered" || (outcome.kind === "delivered" && outcome.acknowledged)
        ? undefined
        : redactReply(result.body, destination),
  };
}

type Identified = Pick<PendingDelivery, "id" | "seq" | "event" | "sender" | "replayOf" | "replaySeq">;

/** A replay is, to its receiver, the message it repeats. */
export function webhookIdOf({ id, replayOf }: Pick<Identified, "id" | "replayOf">): string {
  return replayOf ?? id;
}

/** The log tells the headers of an attempt by the same rule. */
export function factsOf(delivery: Identified, conversationId: string, number: number): RequestFacts {
  const { seq, event, sender, replayOf, replaySeq } = delivery;
  // The body of 2.5 names its conversation, and an operator's event belongs to none.
  const isNamed = event === "message" || event === "operator_event";
  return {
    event,
    sender,
    attempt: number,
    sequence: replaySeq ?? seq,
    ...(isNamed ? {} : { conversation: conversationId }),
    ...(replayOf === null ? {} : { replay: true }),
  };
}
