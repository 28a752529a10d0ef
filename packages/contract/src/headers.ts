/** Every header of ours, and those of others that we rely on, in lower case as HTTP libraries give them. */
export const HEADERS = {
  authorization: "authorization",
  idempotencyKey: "idempotency-key",
  lastEventId: "last-event-id",
  requestId: "signalbox-request-id",
  retryAfter: "retry-after",
  traceparent: "traceparent",
  rateLimitLimit: "ratelimit-limit",
  rateLimitRemaining: "ratelimit-remaining",
  rateLimitReset: "ratelimit-reset",
  import: "signalbox-import",
  /** On a blocking reply: questions the user may choose from, as a JSON list in ASCII. */
  suggestions: "signalbox-suggestions",
} as const;

/** Sent beside every call to a developer: the first three are those of Standard Webhooks. */
export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
  event: "signalbox-event",
  attempt: "signalbox-attempt",
  sequence: "signalbox-sequence",
  sender: "signalbox-sender",
  conversation: "signalbox-conversation",
  replay: "signalbox-replay",
  traceparent: "traceparent",
} as const;
