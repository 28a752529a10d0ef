import { startSpan, type Metrics, type Outbound } from "../platform/index.ts";
import { authorizationOf, type Destination } from "../webhooks/index.ts";
import type { PendingDelivery } from "./lane-store.ts";
import { causeOf, outcomeOf, type Outcome } from "./outcome.ts";
import { signatureHeaders } from "./signing.ts";

export interface Attempted {
  outcome: Outcome;
  durationMs: number;
}

export interface AttemptParts {
  outbound: Outbound;
  timeoutMs: number;
  metrics: Metrics;
}

/** One POST of one delivery. Credentials and signature are made anew each time; id and body never change. */
export async function attempt(
  { outbound, timeoutMs, metrics }: AttemptParts,
  destination: Destination,
  delivery: PendingDelivery,
): Promise<Attempted> {
  const startedAt = new Date();
  const begun = performance.now();
  const span = startSpan("webhook.attempt");
  const authorization = authorizationOf(destination);
  const result = await outbound.post({
    url: destination.url,
    body: delivery.body,
    timeoutMs,
    headers: {
      "content-type": "application/json",
      "user-agent": "Signalbox",
      ...(authorization === undefined ? {} : { authorization }),
      ...signatureHeaders(delivery.id, delivery.body, destination.signingSecrets, startedAt),
      "signalbox-event": delivery.event,
      "signalbox-sender": delivery.sender,
      "signalbox-attempt": String(delivery.attempts + 1),
      "signalbox-sequence": String(delivery.seq),
    },
  });
  const outcome = outcomeOf(result, destination.strictAcknowledgement, new Date());
  const durationMs = performance.now() - begun;
  span
    .setAttributes({
      "signalbox.delivery": delivery.id,
      "signalbox.attempt": delivery.attempts + 1,
      "signalbox.outcome": outcome.kind,
    })
    .end();
  metrics.attemptSeconds.observe({ cause: causeOf(outcome) ?? "delivered" }, durationMs / 1000);
  return { outcome, durationMs: Math.round(durationMs) };
}
