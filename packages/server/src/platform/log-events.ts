export type LogLevel = "debug" | "info" | "warn" | "error";

interface LogEvent {
  levels: readonly LogLevel[];
  /** Fixed text: what varies is a field. */
  message: string;
  fields: readonly string[];
  /** When it is logged, and what the operator should do; a row of docs/reference/logs.md. */
  about: string;
}

/** Every event the service logs. `npm run write-logs` writes docs/reference/logs.md from this list. */
export const LOG_EVENTS = {
  service_ready: {
    levels: ["info"],
    message: "service ready",
    fields: ["port"],
    about: "The process has started and serves its role.",
  },
  service_draining: {
    levels: ["info"],
    message: "service draining",
    fields: ["drainMs"],
    about: "SIGTERM arrived. The process keeps serving for `drainMs` while `/readyz` returns 503.",
  },
  service_stopping: {
    levels: ["info"],
    message: "service stopping",
    fields: [],
    about: "The process refuses new connections and finishes running work.",
  },
  service_stopped: {
    levels: ["info"],
    message: "service stopped",
    fields: [],
    about: "Graceful shutdown is complete.",
  },
  http_request: {
    levels: ["debug", "info", "warn"],
    message: "HTTP request",
    fields: [
      "requestId",
      "method",
      "route",
      "status",
      "durationMs",
      "agentId",
      "apiKeyId",
      "conversationId",
      "messageId",
      "traceId",
    ],
    about: "One line per request: `warn` for a status of 500 or above, `debug` for health and metrics.",
  },
  proxy_names_no_client: {
    levels: ["warn"],
    message: "trusted proxy names no client",
    fields: ["address"],
    about:
      "A proxy of `TRUSTED_PROXIES` sent a request without `X-Forwarded-For`, so nothing limits the addresses behind it. At most once an hour per proxy. Let the proxy set the header, or take it out of the setting.",
  },
  http_request_crashed: {
    levels: ["error"],
    message: "HTTP request crashed",
    fields: ["err", "requestId"],
    about: "A bug. The caller got 50000. Report it with the stack in `err`.",
  },
  event_stream_crashed: {
    levels: ["error"],
    message: "event stream crashed",
    fields: ["err", "requestId"],
    about: "A bug. The stream was closed, and its client reconnects. Report it with the stack in `err`.",
  },
  part_failed: {
    levels: ["warn"],
    message: "a part of the service failed",
    fields: ["part", "reason", "advice"],
    about: "A part of the health check failed. Do what `advice` says.",
  },
  part_recovered: {
    levels: ["warn"],
    message: "a part of the service recovered",
    fields: ["part", "failedForMs"],
    about: "A failed part works again.",
  },
  database_unavailable: {
    levels: ["warn"],
    message: "database unavailable, waiting",
    fields: ["reason"],
    about: "At start: the process waits until PostgreSQL accepts connections.",
  },
  database_available: {
    levels: ["info"],
    message: "database available",
    fields: ["waitedMs"],
    about: "At start: PostgreSQL accepts connections after a wait.",
  },
  database_connection_lost: {
    levels: ["warn"],
    message: "database connection lost",
    fields: ["err"],
    about:
      "An idle connection broke. The pool opens a new one. Many of these point to a failover or a network problem.",
  },
  batch_write_failed: {
    levels: ["warn"],
    message: "batch write failed, writing in halves",
    fields: ["err", "size", "outcome"],
    about:
      "A group commit failed. `undone`: nothing of it stands. `unknown`: the connection broke when it may have been committed, so it is read back before it is written again.",
  },
  batch_not_read_back: {
    levels: ["warn"],
    message: "batch outcome unknown, its callers were told that it failed",
    fields: ["err", "size"],
    about:
      "The connection broke when a group commit may have been committed, and PostgreSQL could not be asked. Callers with an Idempotency-Key find out by repeating.",
  },
  daily_use_not_stored: {
    levels: ["warn"],
    message: "daily usage not stored, will retry",
    fields: ["err"],
    about: "Usage counters stay in memory and are written with the next batch.",
  },
  api_key_use_not_stored: {
    levels: ["debug"],
    message: "last use of an API key not stored",
    fields: ["err"],
    about: "`last_used_time` of a key may be older than its last use.",
  },
  operator_token_use_not_stored: {
    levels: ["debug"],
    message: "last use of an operator token not stored",
    fields: ["err"],
    about: "`last_used_time` of a token may be older than its last use.",
  },
  session_use_not_stored: {
    levels: ["debug"],
    message: "last use of a session not stored",
    fields: ["err"],
    about: "`last_used_time` of a session may be older than its last use.",
  },
  first_account_link: {
    levels: ["info"],
    message: "no account yet: open this link within a day to make the first",
    fields: ["link"],
    about:
      "The first person to open `link` becomes the owner. It works once, and only while there is no account.",
  },
  passkey_refused: {
    levels: ["debug"],
    message: "answer of a passkey refused",
    fields: ["err"],
    about: "Replayed, late, from another origin, not unlocked, or malformed: `err` says which.",
  },
  sign_in_refused: {
    levels: ["info"],
    message: "sign-in refused",
    fields: ["requestId", "address", "accountId", "by"],
    about: "Wrong password, code, passkey or identity. Many of one `address` or `accountId` are an attack.",
  },
  oidc_sign_in_failed: {
    levels: ["warn"],
    message: "sign-in at the identity provider failed",
    fields: ["err"],
    about:
      "The provider could not be reached, or its answer was not valid. Check `OIDC_ISSUER`, the client's secret and its redirect URI `/console/oidc`.",
  },
  outbound_forbidden: {
    levels: ["info"],
    message: "outbound connection blocked",
    fields: ["purpose", "host", "port", "reason"],
    about: "SSRF protection blocked a connection. If the target is yours, allow it for its `purpose`.",
  },
  engine_lost: {
    levels: ["warn"],
    message: "engine unreachable",
    fields: ["ingressUrl", "cause", "advice"],
    about: "Restate takes no call. Messages are accepted and wait. Do what `advice` says.",
  },
  engine_back: {
    levels: ["warn"],
    message: "engine reachable again",
    fields: ["silentMs"],
    about: "Restate takes calls again.",
  },
  engine_send_failed: {
    levels: ["warn"],
    message: "engine call not accepted, the reconciler will retry",
    fields: ["object", "handler", "cause", "failures"],
    about: "Restate did not accept a call. `failures` counts those since the last line.",
  },
  engine_call_failed: {
    levels: ["warn"],
    message: "engine call failed, will be retried",
    fields: ["err", "object", "handler", "agentId", "id"],
    about: "A handler threw. Restate calls it again with backoff. Look at `err` if it repeats.",
  },
  engine_call_unknown: {
    levels: ["error"],
    message: "engine call of an unknown handler, dropped",
    fields: ["object", "handler", "key"],
    about: "Restate made a call that this version does not know. Let all workers run the same version.",
  },
  engine_calls_given_up: {
    levels: ["warn"],
    message: "engine calls failed too often, the reconciler will retry",
    fields: ["calls", "tries"],
    about:
      "Calls failed at every retry. The reconciler makes them again; look at `engine_call_failed` for the cause.",
  },
  lease_not_renewed: {
    levels: ["debug"],
    message: "lease not renewed",
    fields: ["err", "laneId", "turnId"],
    about: "The lease of a lane or a turn was not extended. Another call takes over when it runs out.",
  },
  engine_not_registered: {
    levels: ["warn"],
    message: "worker not registered with the engine, the reconciler will retry",
    fields: [],
    about: "At start: Restate was unreachable. Check `ENGINE_ADMIN_URL` if it stays so.",
  },
  engine_identity_unset: {
    levels: ["warn"],
    message: "engine identity not checked",
    fields: ["host", "port"],
    about: "Anyone who can reach this port can call the worker. Set `ENGINE_IDENTITY_KEYS`.",
  },
  engine_session_failed: {
    levels: ["debug"],
    message: "engine session failed",
    fields: ["err"],
    about: "An HTTP/2 session with Restate broke. Restate opens a new one.",
  },
  engine_sdk: {
    levels: ["debug"],
    message: "engine SDK message",
    fields: ["sdkLevel", "detail"],
    about: "A message of Restate's SDK.",
  },
  leadership_lost: {
    levels: ["warn"],
    message: "leadership lost",
    fields: ["err"],
    about: "This worker is no longer the leader. Another worker takes over.",
  },
  stalled_work_resumed: {
    levels: ["info"],
    message: "stalled work resumed",
    fields: ["sweep", "found"],
    about: "The reconciler found work that made no progress and resumed it.",
  },
  sweep_failed: {
    levels: ["warn"],
    message: "sweep failed, will be retried",
    fields: ["err", "sweep"],
    about: "A maintenance query failed. The next run tries again.",
  },
  delivery_attempt: {
    levels: ["debug"],
    message: "delivery attempt",
    fields: ["agentId", "laneId", "deliveryId", "seq", "number", "cause", "httpStatus", "durationMs"],
    about: "One attempt at a webhook, successful or not.",
  },
  delivery_settled: {
    levels: ["info", "warn"],
    message: "delivery settled",
    fields: [
      "agentId",
      "conversationId",
      "messageId",
      "inReplyTo",
      "deliveryId",
      "webhookId",
      "deliveryEvent",
      "state",
      "cause",
      "attempts",
      "httpStatus",
      "lagMs",
      "traceId",
    ],
    about: "A delivery was delivered (`info`) or dead-lettered (`warn`). One line per delivery.",
  },
  lane_wake_failed: {
    levels: ["debug"],
    message: "waking parked lanes failed, the reconciler will retry",
    fields: ["err", "destinationId"],
    about: "Deliveries that waited for capacity start a little later.",
  },
  worker_heartbeat_failed: {
    levels: ["debug"],
    message: "worker heartbeat failed",
    fields: ["err"],
    about: "The concurrency limit uses the last known number of workers.",
  },
  webhook_secret_unreadable: {
    levels: ["error"],
    message: "webhook secret cannot be decrypted",
    fields: ["err", "destinationId"],
    about:
      "`SEALING_KEYS` lacks the key that encrypted it. Add the key back, or set the webhook's secret again.",
  },
  operator_event: {
    levels: ["warn"],
    message: "operator event",
    fields: ["kind", "agentId", "destinationId", "url", "deliveryId", "cause", "count"],
    about:
      "A destination failed, recovered or was disabled, or messages were dead-lettered. `kind` says which.",
  },
  turn_ended: {
    levels: ["info"],
    message: "turn ended",
    fields: ["agentId", "conversationId", "outcome", "messageIds", "replyIds", "branches", "traceId"],
    about:
      "A turn of the agent, or a part of it, ended. `messageIds` are in `http_request`, `replyIds` in `delivery_settled`. `outcome`: `answered`, `handed_over`, `away`, `superseded` or `abandoned`.",
  },
  question_not_embedded: {
    levels: ["warn"],
    message: "question not embedded, searching by words",
    fields: ["agentId", "kind", "cause", "detail", "retryAfterMs"],
    about: "The embedding model failed. The answer comes from the word search.",
  },
  pairs_not_embedded: {
    levels: ["warn"],
    message: "pairs not embedded, will be retried",
    fields: ["agentId", "documentId", "kind", "cause", "detail", "retryAfterMs"],
    about: "The embedding model failed for a document. Its pairs are found by words until it succeeds.",
  },
  vector_index_created: {
    levels: ["info"],
    message: "vector index created",
    fields: ["agentId", "knowledgeBaseId", "model"],
    about: "A knowledge base grew large enough to get its own vector index.",
  },
  knowledge_cache_failed: {
    levels: ["warn"],
    message: "knowledge base not cached, searching in PostgreSQL",
    fields: ["err"],
    about: "A small knowledge base could not be read into memory. Answers stay right and take longer.",
  },
  encoder_failed: {
    levels: ["error"],
    message: "built-in encoder failed, searching by words",
    fields: ["err"],
    about: "The built-in sentence encoder stopped. Restart the process, and report it if it repeats.",
  },
  model_answer_unsupported: {
    levels: ["info"],
    message: "model answer not supported by its sources",
    fields: ["reason"],
    about: "The model said something that its sources do not say. The user got an answer without it.",
  },
  model_failed: {
    levels: ["warn"],
    message: "model failed, answering without it",
    fields: ["agentId", "cause", "detail"],
    about: "A chat model did not answer. Its fallback was asked, or the user got the best pair instead.",
  },
  model_state_not_stored: {
    levels: ["warn"],
    message: "state of a model not stored",
    fields: ["agentId", "err"],
    about: "The failure of a model, or its recovery, could not be written. Answers are not affected.",
  },
  speech_failed: {
    levels: ["warn"],
    message: "speech failed, answering as text",
    fields: ["agentId", "cause", "detail"],
    about: "The speech model failed. The user got the text alone.",
  },
  speech_needs_public_url: {
    levels: ["warn"],
    message: "speech skipped, PUBLIC_URL is not set",
    fields: ["agentId"],
    about: "An agent has a speech model, but there is no public URL for the audio. Set `PUBLIC_URL`.",
  },
  changes_not_read: {
    levels: ["warn"],
    message: "changes not read, will be retried",
    fields: ["err"],
    about: "The console learns of changes a little later.",
  },
  control_not_read: {
    levels: ["warn"],
    message: "control of conversations not read, will be retried",
    fields: ["err"],
    about: "Answers that callers follow may go on for half a second after a human took over.",
  },
  live_streams_not_read: {
    levels: ["warn"],
    message: "live streams not read, will be retried",
    fields: ["err"],
    about: "New messages reach open live streams a little later.",
  },
} as const satisfies Record<string, LogEvent>;

export type LogEventName = keyof typeof LOG_EVENTS;
