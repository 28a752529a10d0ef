import type { MessageAttachment } from "@signalbox/contract";
import { sql } from "kysely";
import type { AfterCommit } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { advance } from "../steps/apply-step.ts";
import { lockConversation } from "../steps/lock-conversation.ts";

export interface MessageForHuman {
  id: string;
  conversationId: string;
  text: string;
  attachments?: MessageAttachment[] | undefined;
  responseMode: "blocking" | "streaming" | "webhook" | undefined;
  clientId?: string | undefined;
  traceparent?: string | undefined;
}

/**
 * Stores a user's message while a human holds the conversation: it goes to the desk, or is held until the desk has answered.
 * Undefined when the agent has control again: the message is an ordinary one.
 */
export async function acceptForHuman(
  db: Database,
  agentId: string,
  { id, conversationId, text, attachments, responseMode, clientId, traceparent }: MessageForHuman,
): Promise<{ seq: number; calls: AfterCommit[] } | undefined> {
  const locked = await lockConversation(db, agentId, conversationId);
  const handoff = locked?.handoff;
  if (locked === undefined || handoff === undefined) return undefined;
  const { rows } = await sql<{ seq: number }>`
    with raised as (
      update conversation set last_seq = last_seq + 1
      where agent_id = ${agentId} and id = ${conversationId}
      returning last_seq
    )
    insert into message (agent_id, conversation_id, seq, id, sender, response_mode, text, client_id, attachments,
      traceparent)
    select ${agentId}::uuid, ${conversationId}::uuid, last_seq, ${id}::uuid, 'user', ${responseMode ?? null}, ${text},
      ${clientId ?? null}, ${attachments === undefined ? null : JSON.stringify(attachments)}::jsonb,
      ${traceparent ?? null}
    from raised
    returning seq`.execute(db);
  const calls = await advance(db, locked, handoff, { kind: "user_wrote", at: locked.conversation.at });
  return { seq: rows[0]?.seq ?? 0, calls };
}
