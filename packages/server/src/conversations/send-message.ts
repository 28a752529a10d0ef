import { textOfContent, type InputOf, type MessageAccepted } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey, type Engine } from "../engine/index.ts";
import { newId, once, Refusal, refuse, type AgentCaller, type Database } from "../platform/index.ts";
import type { ConversationParts } from "./create-conversation.ts";

export interface SendMessageParts extends ConversationParts {
  engine: Engine;
}

interface Accepted {
  messageId: string;
  /** No turn was at work: somebody has to call one. */
  woke: boolean;
}

/** Accepts a user's message. In webhook mode the answer is the acceptance; the reply comes by 4.5. */
export async function sendMessage(
  { agents, sealer, engine }: SendMessageParts,
  caller: AgentCaller,
  { conversation_id, response_mode, messages }: InputOf<"sendMessage">,
): Promise<MessageAccepted | Refusal> {
  if (response_mode !== "webhook") {
    return refuse(
      "badParameter",
      `response_mode ${response_mode} is not served by this version; use webhook`,
    );
  }
  const last = messages.at(-1);
  const text = last === undefined ? "" : textOfContent(last.content);
  if (text.trim() === "") return refuse("badParameter", "the last message holds no text");

  const accepted = await agents.asAgent(caller.agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      if (!(await hasMessageWebhook(db, caller.agentId))) {
        return refuse(
          "badParameter",
          "response_mode webhook needs a message webhook; configure one for this agent first",
        );
      }
      return acceptUserMessage(db, {
        agentId: caller.agentId,
        conversationId: conversation_id,
        text,
        responseMode: response_mode,
      });
    }),
  );
  if (accepted instanceof Refusal) return accepted;
  // The message is committed: if this call is lost, the reconciler makes it.
  if (accepted.woke) await engine.send("turn", "run", objectKey(caller.agentId, conversation_id));
  return { conversation_id, message_id: accepted.messageId };
}

async function hasMessageWebhook(db: Database, agentId: string): Promise<boolean> {
  const row = await db
    .selectFrom("webhook")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("kind", "=", "message")
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

interface UserMessage {
  agentId: string;
  conversationId: string;
  text: string;
  responseMode: "webhook";
}

/** Under the conversation's row lock: the next number, the message, and the wake bit of its turn. */
async function acceptUserMessage(
  db: Database,
  { agentId, conversationId, text, responseMode }: UserMessage,
): Promise<Accepted | Refusal> {
  const messageId = newId();
  const { rows } = await sql<{ woke: boolean }>`
    with held as (
      select turn_awake from conversation where agent_id = ${agentId} and id = ${conversationId} for update
    ),
    raised as (
      update conversation c set
        last_seq = c.last_seq + 1,
        turn_due_seq = c.last_seq + 1,
        turn_awake = true,
        turn_beat_at = case when held.turn_awake then c.turn_beat_at else now() end
      from held
      where c.agent_id = ${agentId} and c.id = ${conversationId}
      returning c.last_seq, not held.turn_awake as woke
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, response_mode, text)
      select ${agentId}::uuid, ${conversationId}::uuid, last_seq, ${messageId}::uuid, 'user', ${responseMode}, ${text} from raised
    )
    select woke from raised`.execute(db);
  const row = rows[0];
  if (row === undefined) return refuse("unknownConversation", "create one with POST /v1/conversation");
  return { messageId, woke: row.woke };
}
