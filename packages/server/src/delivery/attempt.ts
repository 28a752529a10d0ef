import { startSpan, type Metrics } from "../platform/index.ts";
import { callDeveloper, type CallParts, type Destination } from "../webhooks/index.ts";
import type { Claim, PendingDelivery } from "./lane-store.ts";
import { causeOf, outcomeOf, type Outcome } from "./outcome.ts";
import { redactReply } from "./redact-reply.ts";

export interface Attempted {
  outcome: Outcome;
  durationMs: number;
  url: string | undefined;
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
  const result = await callDeveloper(call, destination, {
    id: delivery.replayOf ?? delivery.id,
    url: destination.url,
    body: delivery.body,
    sentAt: claim.now(),
    facts: {
      event: delivery.event,
      sender: delivery.sender,
      attempt: delivery.attempts + 1,
      sequence: delivery.replaySeq ?? delivery.seq,
      ...(delivery.event === "message" ? {} : { conversation: claim.conversationId }),
      ...(delivery.replayOf === null ? {} : { replay: true }),
    },
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
    // A delivery that went as it should needs no evidence; everything else keeps what the developer said.
    responseBody:
      result.kind === "unanswered" || (outcome.kind === "delivered" && outcome.acknowledged)
        ? undefined
        : redactReply(result.body, destination),
  };
}
