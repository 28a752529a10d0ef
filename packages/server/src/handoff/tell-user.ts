import { sql } from "kysely";
import { enqueue, responseMessageBytes } from "../delivery/index.ts";
import type { EngineCall } from "../engine/index.ts";
import { newId, type Database } from "../platform/index.ts";
import type { Conversation } from "./scene.ts";

export interface Said {
  sender: "human" | "system";
  componentName: string;
  text: string;
  /** Rule I-14: of the same reply sent twice the second is not said again. */
  replyHash?: Buffer;
}

/**
 * Puts words of a human, or a notice, into the conversation, after everything that was said in it. On the API they go out
 * by 4.5; a live channel follows the messages themselves.
 */
export async function tellUser(db: Database, conversation: Conversation, said: Said): Promise<EngineCall[]> {
  const { agentId, id: conversationId, userId, anonymousId, channel } = conversation;
  const messageId = newId();
  const { rows } = await sql<{ webhook_id: string | null; created_at: Date }>`
    with raised as (
      update conversation set last_seq = last_seq + 1
      where agent_id = ${agentId} and id = ${conversationId}
      returning last_seq
    ),
    made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text, reply_hash)
      select ${agentId}::uuid, ${conversationId}::uuid, last_seq, ${messageId}::uuid, ${said.sender}, ${said.text},
        ${said.replyHash ?? null}::bytea
      from raised
      returning created_at
    )
    select created_at, (select id from webhook
      where agent_id = ${agentId} and kind = 'message' and deleted_at is null) as webhook_id
    from made`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error("a conversation vanished under its lock");
  if (channel !== "api" || row.webhook_id === null) return [];
  return enqueue(db, {
    agentId,
    destinationId: row.webhook_id,
    conversationId,
    event: "message",
    sender: said.sender,
    bodies: [
      responseMessageBytes({
        conversationId,
        messageId,
        userId,
        anonymousId,
        branch: said.sender === "human" ? "human" : "notice",
        componentName: said.componentName,
        text: said.text,
        createdAt: row.created_at,
      }),
    ],
  });
}
