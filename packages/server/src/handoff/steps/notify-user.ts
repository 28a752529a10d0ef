import { textWithAttachments, zeroUsage, type MessageAttachment } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueueWith, laneIdOf, responseMessageBytes } from "../../delivery/index.ts";
import { objectKey, type AfterCommit } from "../../engine/index.ts";
import { newId, type Database, type MessageAuthor } from "../../platform/index.ts";
import { announcing, type Conversation } from "./lock-conversation.ts";

export interface MessageToUser {
  sender: "human" | "system";
  deskName: string;
  text: string;
  /** Files that a human sends with it. */
  attachments?: MessageAttachment[] | undefined;
  /** Who wrote it in the inbox. */
  author?: MessageAuthor | undefined;
  /** Drawn here unless it is given. */
  messageId?: string;
  /** A reply that is sent twice is said once. */
  replyHash?: Buffer | undefined;
  traceparent?: string | undefined;
}

/**
 * Puts words of a human, or a notice, into the conversation, after everything that was said in it. On the API they go out
 * by 4.5; a live channel follows the messages themselves.
 */
export async function notifyUser(
  db: Database,
  conversation: Conversation,
  said: MessageToUser,
): Promise<AfterCommit[]> {
  const { agentId, id: conversationId, messageWebhookId } = conversation;
  const messageId = said.messageId ?? newId();
  const made = sql`
    raised as (
      update conversation set last_seq = last_seq + 1
      where agent_id = ${agentId} and id = ${conversationId}
      returning last_seq
    ),
    made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text, attachments, reply_hash, traceparent,
        author_id, author_name)
      select ${agentId}::uuid, ${conversationId}::uuid, last_seq, ${messageId}::uuid, ${said.sender}, ${said.text},
        ${said.attachments === undefined ? null : JSON.stringify(said.attachments)}::jsonb, ${said.replyHash ?? null}::bytea, ${said.traceparent ?? null}::text,
        ${said.author?.id ?? null}::uuid, ${said.author?.name ?? null}::text
      from raised
      returning seq
    )`;
  if (messageWebhookId === null) {
    await sql`with ${made} select seq from made`.execute(db);
    return announcing(conversation);
  }
  const outbox = enqueueWith(sql`made`, {
    agentId,
    destinationId: messageWebhookId,
    conversationId,
    event: "message",
    sender: said.sender,
    items: [{ body: bodyOf(conversation, messageId, said), messageId, traceparent: said.traceparent }],
  });
  const { rows } = await sql<{ woke: boolean }>`with ${made}, ${outbox} select woke from lane_raised`.execute(
    db,
  );
  if (rows[0]?.woke !== true) return announcing(conversation);
  const key = objectKey(agentId, laneIdOf(messageWebhookId, conversationId));
  return [...announcing(conversation), { object: "lane", handler: "drain", key }];
}

/** A notice as 4.5 sends it. */
export function noticeBytes(
  conversation: Conversation,
  messageId: string,
  deskName: string,
  text: string,
): Buffer {
  return bodyOf(conversation, messageId, { sender: "system", deskName, text });
}

function bodyOf(
  conversation: Conversation,
  messageId: string,
  { sender, deskName, text, attachments }: MessageToUser,
): Buffer {
  const { id: conversationId, userId, anonymousId, at } = conversation;
  return responseMessageBytes({
    conversationId,
    messageId,
    userId,
    anonymousId,
    branch: sender === "human" ? "human" : "notice",
    componentName: deskName,
    text: textWithAttachments(text, attachments),
    usage: zeroUsage(),
    // The transaction's own time, which is the message's too.
    createdAt: new Date(at),
  });
}
