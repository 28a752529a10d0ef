import { RETENTION_DAYS_MAX, RetentionAction } from "@signalbox/contract";
import { z } from "zod";
import { count } from "./values.ts";

export const privacySettings = z.object({
  CONVERSATION_RETENTION_DAYS: count(1, RETENTION_DAYS_MAX)
    .optional()
    .describe(
      "How long a conversation is kept after its last message. An agent can have its own retention. Without a value, conversations are kept forever",
    ),
  CONVERSATION_RETENTION_ACTION: RetentionAction.default("delete").describe(
    "What happens after retention: `delete` removes the conversation, `redact` keeps its times and counts and removes texts and identities",
  ),
  AGENT_DELETION_GRACE_DAYS: count(1, RETENTION_DAYS_MAX)
    .default(30)
    .describe(
      "How long the data of a deleted agent is kept before it is erased. Its keys and webhooks stop at once",
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
