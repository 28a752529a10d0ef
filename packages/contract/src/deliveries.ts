import { z } from "zod";
import { CauseName } from "./causes.ts";
import { identifier, pageFields, pageOf, queryTime, timestamp, timestampInput } from "./values.ts";

const cause = CauseName.nullable();
const causePage = z.string().nullable().describe("Page that explains the cause, as a path in the repository");

export const DeliveryState = z.enum(["pending", "delivered", "dead"]).meta({
  id: "DeliveryState",
  description: "pending: waits, or is tried again; delivered: answered with HTTP 200; dead: given up",
});
export type DeliveryState = z.output<typeof DeliveryState>;

export const DeliveryEvent = z
  .enum(["message", "handoff_requested", "user_message", "handoff_closed", "message_left", "operator_event"])
  .meta({ id: "DeliveryEvent" });
export type DeliveryEvent = z.output<typeof DeliveryEvent>;

/** In a query a boolean is a text. Anything else is left to the schema, which refuses it. */
const queryFlag = z.preprocess(
  (value: boolean) => ({ true: true, false: false })[String(value)] ?? value,
  z.boolean(),
);

type NarrowedByConversation = { agent_id?: string | undefined; conversation_id?: string | undefined };
type CheckPayload = { value: NarrowedByConversation; issues: z.core.$ZodRawIssue[] };

/** Every key that leads to a row carries its agent: without it all conversations of all agents would be searched. */
function checkAgentOfConversation({ value, issues }: CheckPayload): void {
  if (value.conversation_id === undefined || value.agent_id !== undefined) return;
  issues.push({
    code: "custom",
    input: value,
    path: ["agent_id"],
    message: "is required when conversation_id is given",
  });
}

const filterFields = {
  agent_id: identifier.optional(),
  webhook_id: identifier.optional().describe("Id of the webhook or human service component"),
  conversation_id: identifier.optional().describe("Requires agent_id"),
  message_id: identifier.optional().describe("Only deliveries of this message, or of replies to it"),
  cause: CauseName.optional(),
  event: DeliveryEvent.optional(),
};

export const DeliveryQuery = z
  .strictObject({
    ...filterFields,
    state: DeliveryState.optional(),
    from_time: queryTime.optional().describe("Accepted at this time or later"),
    to_time: queryTime.optional().describe("Accepted before this time"),
    with_preview: queryFlag
      .default(false)
      .describe("If true, include the beginning of what each delivery says. The read is audited"),
    ...pageFields,
  })
  .check(checkAgentOfConversation);

export const DeliveryPath = z.strictObject({ delivery_id: identifier });

const deliveryFields = {
  delivery_id: identifier,
  agent_id: identifier,
  webhook_id: identifier,
  conversation_id: identifier,
  message_id: identifier
    .nullable()
    .describe("Id of the message it carries; null if it carries none, or several"),
  in_reply_to: identifier.nullable().describe("The user's message that the delivered message answers"),
  event: DeliveryEvent,
  sender: z.enum(["user", "ai", "human", "system"]),
  sequence: z.int().min(1).describe("Position in the conversation, as in the header signalbox-sequence"),
  state: DeliveryState,
  cause: cause.describe("Cause of the last failed attempt, or of giving up"),
  cause_page: causePage,
  attempt_count: z.int().min(0),
  replay_of: identifier.nullable().describe("The delivery it repeats, whose id is sent as webhook-id"),
  create_time: timestamp,
  finish_time: timestamp.nullable(),
};

export const Delivery = z.object(deliveryFields).meta({ id: "Delivery" });
export type Delivery = z.output<typeof Delivery>;

export const DELIVERY_PREVIEW_MAX_CHARACTERS = 80;

export const DeliveryEntry = z
  .object({
    ...deliveryFields,
    preview: z
      .string()
      .nullable()
      .describe(
        `What it says, on one line of at most ${DELIVERY_PREVIEW_MAX_CHARACTERS} characters; null unless with_preview is true, if it says nothing, and once erased`,
      ),
  })
  .meta({ id: "DeliveryEntry" });
export type DeliveryEntry = z.output<typeof DeliveryEntry>;

export const DeliveryPage = pageOf(DeliveryEntry).meta({
  id: "DeliveryPage",
  description:
    "Newest first. A page may be short or empty and still have a next_cursor: each looks through a bounded number of deliveries, however rare a match is",
});
export type DeliveryPage = z.output<typeof DeliveryPage>;

const base64 = z.string().nullable().describe("The bytes in Base64, only if they are not UTF-8");

const stepMs = z.int().min(0).nullable();

export const AttemptTimings = z
  .object({
    dns_ms: stepMs.describe("Lookup of the host name; null if the URL has an IP address"),
    connect_ms: stepMs.describe("TCP connection, or the time until it failed"),
    tls_ms: stepMs.describe("TLS handshake, or the time until it failed"),
    first_byte_ms: stepMs.describe("From the request to the first byte of the response"),
  })
  .meta({
    id: "AttemptTimings",
    examples: [{ dns_ms: 4, connect_ms: 11, tls_ms: 24, first_byte_ms: 85 }],
    description:
      "Where the time went, step by step. null is a step that did not happen: an open connection that is used again has no dns_ms, connect_ms and tls_ms",
  });
export type AttemptTimings = z.output<typeof AttemptTimings>;

export const DeliveryAttempt = z
  .object({
    number: z.int().min(1),
    start_time: timestamp,
    duration_ms: z.int().min(0).describe("From the start to the last byte of the response"),
    timings: AttemptTimings,
    url: z.string().nullable().describe("URL it was sent to; null if there was none"),
    cause,
    cause_page: causePage,
    http_status: z.int().nullable(),
    acknowledged: z
      .boolean()
      .nullable()
      .describe("Whether an HTTP 200 had the body of 4.5; null if there was no HTTP 200"),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe("As sent, with credentials redacted; null when nothing was sent"),
    response_body: z
      .string()
      .nullable()
      .describe(
        "Beginning of the response, with credentials redacted; null if there was none, or a plain acknowledgement",
      ),
    response_body_base64: base64,
  })
  .meta({ id: "DeliveryAttempt" });
export type DeliveryAttempt = z.output<typeof DeliveryAttempt>;

export const DeliveryDetail = z
  .object({
    ...deliveryFields,
    body: z.string().describe("The body sent on every attempt"),
    body_base64: base64,
    attempts: z.array(DeliveryAttempt).describe("Oldest first"),
  })
  .meta({ id: "DeliveryDetail" });
export type DeliveryDetail = z.output<typeof DeliveryDetail>;

export const ReplayFilter = z
  .strictObject({
    ...filterFields,
    state: z
      .enum(["delivered", "dead"])
      .optional()
      .describe("Both if omitted. Pending deliveries need no replay"),
    from_time: timestampInput.optional(),
    to_time: timestampInput.optional().describe("Now if omitted"),
  })
  .check(checkAgentOfConversation)
  .meta({ id: "ReplayFilter" });
export type ReplayFilter = z.output<typeof ReplayFilter>;

export const REPLAY_MATCHES_MAX = 1_000_000;

export const StartReplayRequest = z
  .strictObject({
    filter: ReplayFilter,
    dry_run: z.boolean().default(false).describe("If true, only count what would be sent again"),
    rate_per_second: z.int().min(1).max(1_000).default(10),
  })
  .meta({ id: "StartReplayRequest" });
export type StartReplayRequest = z.output<typeof StartReplayRequest>;

const matched = z
  .int()
  .min(0)
  .max(REPLAY_MATCHES_MAX)
  .describe("Deliveries that matched when the replay started, without replays and deleted webhooks");

export const StartedReplay = z
  .object({ replay_id: identifier.nullable().describe("null after a dry run"), matched })
  .meta({ id: "StartedReplay" });
export type StartedReplay = z.output<typeof StartedReplay>;

export const ReplayPath = z.strictObject({ replay_id: identifier });

export const Replay = z
  .object({
    replay_id: identifier,
    state: z
      .enum(["running", "finished", "stopped"])
      .describe("finished: all matching deliveries are queued"),
    filter: z.record(z.string(), z.unknown()),
    rate_per_second: z.int(),
    matched,
    enqueued: z.int().min(0).describe("Deliveries queued so far"),
    delivered: z.int().min(0),
    dead: z.int().min(0),
    create_time: timestamp,
    finish_time: timestamp.nullable(),
  })
  .meta({ id: "Replay" });
export type Replay = z.output<typeof Replay>;

export const DestinationQuery = z.strictObject({ agent_id: identifier.optional(), ...pageFields });
export const DestinationPath = z.strictObject({ agent_id: identifier, webhook_id: identifier });

export const DestinationState = z
  .object({
    webhook_id: identifier,
    agent_id: identifier,
    kind: z.enum(["message", "human_service", "operator"]),
    name: z.string().nullable(),
    url: z.string(),
    breaker: z
      .enum(["closed", "open", "disabled"])
      .describe("closed: works; open: fails and is probed; disabled: answered HTTP 410"),
    since_time: timestamp.nullable().describe("When this state began; null if it has never failed"),
    tries: z.int().min(0).describe("Probes since the breaker opened"),
    next_try_time: timestamp.nullable(),
    lanes_parked: z.int().min(0).describe("Conversations waiting for this webhook"),
    lanes_retrying: z
      .int()
      .min(0)
      .describe("Conversations whose next message failed at this webhook and is tried again"),
    oldest_waiting_time: timestamp.nullable().describe("When the oldest waiting message was accepted"),
  })
  .meta({ id: "DestinationState" });
export type DestinationState = z.output<typeof DestinationState>;

export const DestinationPage = pageOf(DestinationState).meta({ id: "DestinationPage" });
export type DestinationPage = z.output<typeof DestinationPage>;
