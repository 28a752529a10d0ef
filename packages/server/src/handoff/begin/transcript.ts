import { textWithAttachments, type HandoffItem, type MessageAttachment } from "@signalbox/contract";
import type { Database } from "../../platform/index.ts";
import { DEFAULT_SETTINGS } from "../settings/agent-settings.ts";
import type { LockedConversation } from "../steps/lock-conversation.ts";

/** Rule 4.6: the recent conversation, oldest first. Notices are ours, and none of it. */
export async function readTranscript(
  db: Database,
  { conversation, agent }: LockedConversation,
): Promise<HandoffItem[]> {
  const rows = await db
    .selectFrom("message")
    .select(["sender", "text", "attachments"])
    .where("agent_id", "=", conversation.agentId)
    .where("conversation_id", "=", conversation.id)
    .where("sender", "in", ["user", "ai", "human"])
    .orderBy("seq", "desc")
    .limit((agent?.settings ?? DEFAULT_SETTINGS).transcript_items)
    .execute();
  return rows.toReversed().map(({ sender, text, attachments }) => ({
    text: textWithAttachments(text, attachments as MessageAttachment[] | null),
    message_type: sender === "user" ? "QUESTION" : "ANSWER",
  }));
}
