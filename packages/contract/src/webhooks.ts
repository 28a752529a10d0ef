import { z } from "zod";
import { CauseName } from "./causes.ts";
import { DeliveryEvent } from "./deliveries.ts";
import { identifier, pageFields, pageOf, timestamp } from "./values.ts";

const probe = {
  webhook_url: z
    .string()
    .describe(
      "The URL probed. A human service has two: the first that did not answer 200 is given, or the establish URL if both did",
    ),
  reachable: z.boolean().describe("true if the response was HTTP 200"),
  http_status: z
    .int()
    .min(0)
    .nullable()
    .describe("HTTP status of the URL probed; 0 if there was no response"),
  latency_ms: z.int().min(0).describe("Duration of the probe; for a human service, of the slower one"),
};

/** Section 2.4. */
export const WebhookCheckResult = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("message"),
      component_id: z.null(),
      component_name: z.null(),
      ...probe,
    }),
    z.strictObject({
      type: z.literal("human_service"),
      component_id: identifier,
      component_name: z.string(),
      ...probe,
    }),
  ])
  .meta({ id: "WebhookCheckResult" });
export type WebhookCheckResult = z.output<typeof WebhookCheckResult>;

/** Section 4.3: one result for each webhook that is configured. */
export const CheckWebhooksReply = z
  .strictObject({ results: z.array(WebhookCheckResult) })
  .meta({ id: "CheckWebhooksReply" });
export type CheckWebhooksReply = z.output<typeof CheckWebhooksReply>;

/** One test request of a check, as an operator may see it. */
export const WebhookProbe = z
  .object({
    url: z.string(),
    http_status: z.int().min(0).describe("0 if there was no response"),
    latency_ms: z.int().min(0),
    cause: CauseName.nullable().describe("Cause of the failure; null for HTTP 200"),
    cause_page: z.string().nullable().describe("Page that explains the cause, as a path in the repository"),
    response_body: z.string().nullable().describe("Beginning of the response, with credentials redacted"),
  })
  .meta({ id: "WebhookProbe" });
export type WebhookProbe = z.output<typeof WebhookProbe>;

/** Events whose body can be marked as a test, so that receivers do nothing with it. */
export const TestableEvent = DeliveryEvent.extract([
  "message",
  "handoff_requested",
  "message_left",
  "user_message",
]).meta({ id: "TestableEvent" });
export type TestableEvent = z.output<typeof TestableEvent>;

export const SendTestEventRequest = z
  .strictObject({
    event: TestableEvent.describe("message goes to a message webhook, the others to a human service"),
    body: z
      .record(z.string(), z.unknown())
      .describe("The body to send, as you like it. istest is always set to true"),
  })
  .meta({ id: "SendTestEventRequest" });
export type SendTestEventRequest = z.output<typeof SendTestEventRequest>;

const diagnosis = { webhook_id: identifier, probes: z.array(WebhookProbe) };

/** The results of 4.3 with the cause and the answer of each test request. */
export const DiagnoseWebhooksReply = z
  .strictObject({
    results: z.array(
      z.discriminatedUnion("type", [
        z.strictObject({
          type: z.literal("message"),
          component_id: z.null(),
          component_name: z.null(),
          ...probe,
          ...diagnosis,
        }),
        z.strictObject({
          type: z.literal("human_service"),
          component_id: identifier,
          component_name: z.string(),
          ...probe,
          ...diagnosis,
        }),
      ]),
    ),
  })
  .meta({ id: "DiagnoseWebhooksReply" });
export type DiagnoseWebhooksReply = z.output<typeof DiagnoseWebhooksReply>;

export const WebhookCheckQuery = z.strictObject({
  webhook_id: identifier.optional().describe("Only checks of this webhook or human service component"),
  ...pageFields,
});

export const WebhookCheck = z
  .object({
    check_id: identifier,
    webhook_id: identifier,
    check_time: timestamp,
    url: z.string().describe("URL of the first request that failed, or of the first"),
    reachable: z.boolean().describe("true if every response was HTTP 200"),
    http_status: z.int().min(0).describe("0 if there was no response"),
    latency_ms: z.int().min(0).describe("The latency of the slowest request"),
    cause: CauseName.nullable(),
    cause_page: z.string().nullable().describe("Page that explains the cause, as a path in the repository"),
  })
  .meta({ id: "WebhookCheck" });
export type WebhookCheck = z.output<typeof WebhookCheck>;

export const WebhookCheckPage = pageOf(WebhookCheck).meta({
  id: "WebhookCheckPage",
  description: "Newest first. The last 50 checks of each webhook are kept, by whichever way they were made",
});
export type WebhookCheckPage = z.output<typeof WebhookCheckPage>;

/** Section 4.4: the whole body, as plain text. */
export const SERVICE_IS_NORMAL = "service is normal";
export const ServiceHealth = z.literal(SERVICE_IS_NORMAL).meta({ id: "ServiceHealth" });

const operatorEvent = {
  event_id: identifier,
  at: timestamp,
  agent_id: identifier.describe("Agent that owns the webhook"),
  webhook_id: identifier,
};
const ofDestination = { ...operatorEvent, url: z.string() };

/** What the operator's own webhook is sent. */
export const OperatorEventBody = z
  .discriminatedUnion("event", [
    z.strictObject({ event: z.literal("destination_failing"), ...ofDestination }),
    z.strictObject({ event: z.literal("destination_disabled"), ...ofDestination }),
    z.strictObject({ event: z.literal("destination_recovered"), ...ofDestination }),
    z.strictObject({
      event: z.literal("delivery_dead"),
      ...operatorEvent,
      delivery_id: identifier,
      cause: CauseName,
    }),
    z.strictObject({
      event: z.literal("deliveries_expired"),
      ...operatorEvent,
      count: z.int().min(1).describe("Deliveries that expired together while their webhook was down"),
    }),
  ])
  .meta({ id: "OperatorEventBody" });
export type OperatorEventBody = z.output<typeof OperatorEventBody>;
