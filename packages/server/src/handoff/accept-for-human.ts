import type { MessageAttachment } from "@signalbox/contract";
import { sql } from "kysely";
import type { EngineCall } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { transition } from "./machine.ts";
import { lengthsOf, openScene } from "./scene.ts";

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
 * Undefined when control is the bot's again, so that the message is an ordinary one.
 */
export async function acceptForHuman(
  db: Database,
  agentId: string,
  { id, conversationId, text, attachments, responseMode, clientId, traceparent }: MessageForHuman,
): Promise<{ seq: number; calls: EngineCall[] } | undefined> {
  const scene = await openScene(db, agentId, conversationId);
  const kept = scene?.kept;
  if (scene === undefined || kept === undefined) return undefined;
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
  const step = transition(kept.handoff, { kind: "user_wrote", at: scene.conversation.at }, lengthsOf(scene));
  const calls = step.kind === "moved" ? await applyStep(db, scene, kept, step) : [];
  return { seq: rows[0]?.seq ?? 0, calls };
}
