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

/** CloudEvents 1.0 in binary mode, for a webhook that takes them. */
export const CLOUD_EVENT_HEADERS = {
  specversion: "ce-specversion",
  id: "ce-id",
  source: "ce-source",
  type: "ce-type",
  subject: "ce-subject",
} as const;

export type WebhookHeader = keyof typeof WEBHOOK_HEADERS;

export const AUTHORIZATION_MEANING =
  "`Bearer <username>` when only a username is configured, HTTP Basic when both are, absent when neither";

/** What each says to a developer: for the reference, where links lead from its folder, and for AsyncAPI. */
export const WEBHOOK_HEADER_MEANINGS: Readonly<Record<WebhookHeader, string>> = {
  id: "The delivery's id, the same on every attempt",
  timestamp: "When this attempt was signed, in seconds since 1970",
  signature: "One or two [signatures](../signatures.md)",
  event:
    "`message`, `handoff_requested`, `message_left`, `user_message`, `handoff_closed` or `operator_event`",
  sender: "`ai`, `human`, `system` or `user`; absent on a test",
  sequence: "The position in the lane: 1, 2, 3; absent on a test",
  attempt: "1 on the first attempt",
  conversation: "On calls to a desk: the agent's own conversation",
  replay: "`true` on a replay",
  traceparent: "The W3C trace context of this attempt, if the message has one",
};
