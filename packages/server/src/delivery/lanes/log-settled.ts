import { traceIdOf, type Log } from "../../platform/index.ts";
import type { Claim, PendingDelivery } from "./lane-store.ts";
import type { Settlement } from "./settle.ts";

/** The one line that a delivery leaves in the log, by whichever of its ids somebody looks for it. */
export function logSettled(
  log: Log,
  { conversationId, destinationId, now }: Claim,
  { event, messageId, inReplyTo, createdAt, traceparent }: PendingDelivery,
  { agentId, deliveryId, state, cause, attempt }: Settlement,
): void {
  const fields = {
    agentId,
    conversationId,
    messageId: messageId ?? undefined,
    inReplyTo: inReplyTo ?? undefined,
    deliveryId,
    webhookId: destinationId,
    deliveryEvent: event,
    state,
    cause,
    attempts: attempt.number,
    httpStatus: attempt.httpStatus,
    lagMs: now().getTime() - createdAt.getTime(),
    traceId: traceIdOf(attempt.traceparent ?? traceparent),
  };
  if (state === "dead") log.warn("delivery_settled", fields);
  else log.info("delivery_settled", fields);
}
