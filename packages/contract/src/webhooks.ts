import { z } from "zod";
import { identifier } from "./values.ts";

const probe = {
  webhook_url: z.string().describe("The URL as configured"),
  reachable: z.boolean().describe("true when the answer was HTTP 200"),
  http_status: z.int().min(0).nullable().describe("0 when there was no answer"),
  latency_ms: z.int().min(0),
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

/** Section 4.4: the whole body, as plain text. */
export const SERVICE_IS_NORMAL = "service is normal";
export const ServiceHealth = z.literal(SERVICE_IS_NORMAL).meta({ id: "ServiceHealth" });
