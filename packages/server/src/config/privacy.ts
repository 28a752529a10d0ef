import { RETENTION_DAYS_MAX, RetentionAction } from "@signalbox/contract";
import { z } from "zod";
import { count } from "./values.ts";

export const privacySettings = z.object({
  CONVERSATION_RETENTION_DAYS: count(1, RETENTION_DAYS_MAX)
    .optional()
    .describe(
      "How long a conversation is kept after its last message, unless its agent says otherwise. Left out: without end",
    ),
  CONVERSATION_RETENTION_ACTION: RetentionAction.default("delete").describe(
    "What happens to it then: `delete`, or `redact`, which keeps times and counts without what was said and by whom",
  ),
  AGENT_DELETION_GRACE_DAYS: count(1, RETENTION_DAYS_MAX)
    .default(30)
    .describe(
      "How long the data of a deleted agent is kept; its keys and webhooks stop at once. Then all of it is deleted",
    ),
});

export function readPrivacy(settings: z.infer<typeof privacySettings>) {
  return {
    retention: {
      days: settings.CONVERSATION_RETENTION_DAYS,
      action: settings.CONVERSATION_RETENTION_ACTION,
    },
    agentGraceDays: settings.AGENT_DELETION_GRACE_DAYS,
  };
}
