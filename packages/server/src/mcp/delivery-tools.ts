import { DeliveryState, identifier, pageFields } from "@signalbox/contract";
import { z } from "zod";
import { defineTool, READS } from "./tool.ts";

const { limit, cursor } = pageFields;

export const DELIVERY_TOOLS = [
  defineTool({
    name: "list_deliveries",
    title: "List webhook deliveries",
    description:
      "Webhook deliveries of this agent, newest first, with state, cause of the last failure and number of attempts. `cause_page` is the page of the documentation that explains a cause.",
    input: z.strictObject({
      state: DeliveryState.optional().describe("dead: given up"),
      conversation_id: identifier.optional(),
      limit,
      cursor,
    }),
    scopes: ["read"],
    annotations: READS,
    run: (call, query) => call("listDeliveries", { query }),
  }),
  defineTool({
    name: "replay_delivery",
    title: "Replay a webhook delivery",
    description:
      "Send a delivery again, whether it arrived or was given up. The receiver gets it once more with the same webhook-id: one that does not deduplicate acts on it twice. Ask the person you work for first.",
    input: z.strictObject({ delivery_id: identifier }),
    scopes: ["messages"],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    run: (call, params) => call("replayDelivery", { params }),
  }),
];
