import type { MessageAttachment, ResponseMode } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { AnswerWith } from "./answer-with.ts";

export interface UserMessage {
  id: string;
  agentId: string;
  conversationId: string;
  /** Empty when the message is nothing but attachments. */
  text: string;
  attachments?: MessageAttachment[] | undefined;
  /** Undefined on a live channel: whatever is answered comes by its stream. */
  responseMode: ResponseMode | undefined;
  /** The browser's own id of it, on a live channel. */
  clientId?: string | undefined;
  answerWith?: AnswerWith | undefined;
  /** W3C trace context of the request that brought it. */
  traceparent?: string | undefined;
}

/**
 * `woke`: no turn was at work, so somebody has to call one. Of the others nothing was stored: `held_by_human`, because the message is
 * not the bot's to answer, `no_webhook`, because its answer could go nowhere. Undefined: there is no such conversation of this agent.
 */
export type Accepted =
  | { kind: "accepted"; seq: number; woke: boolean }
  | { kind: "held_by_human" }
  | { kind: "no_webhook" }
  | undefined;

/** Its answer goes to the message webhook. */
export function isForWebhook({ responseMode }: Pick<UserMessage, "responseMode">): boolean {
  return responseMode === "webhook";
}

/**
 * Accepts messages of one agent, of any of its conversations, in one statement: under each conversation's row lock the
 * next numbers, the messages, and the wake bit of its turn. Conversations are locked in the order of their ids. Either all of the
 * messages are for the webhook or none is.
 */
export async function acceptUserMessages(
  db: Database,
  agentId: string,
  messages: UserMessage[],
): Promise<Accepted[]> {
  const placed = placeInConversations(messages);
  const conversationIds = [...placed.counts.keys()];
  // One row of arrays and no join: a plan is made once, for batches of any size, and must not scan one side for each of the other.
  const { rows } = await sql<{ can_answer: boolean; id: string | null; seq: number | null; woke: boolean }>`
    with answering as (
      select ${!messages.some(isForWebhook)} or exists (
        select from webhook where agent_id = ${agentId} and kind = 'message' and deleted_at is null) as can_answer
    ),
    held as (
      select id, turn_awake, control from conversation
      where agent_id = ${agentId} and id = any(${conversationIds}::uuid[]) and redacted_at is null
      order by id for update
    ),
    counted as (
      select ${conversationIds}::uuid[] as ids, ${[...placed.counts.values()]}::integer[] as added
    ),
    raised as (
      update conversation c set
        last_seq = c.last_seq + counted.added[array_position(counted.ids, c.id)],
        turn_due_seq = c.last_seq + counted.added[array_position(counted.ids, c.id)],
        turn_awake = true,
        turn_due_since = case when c.turn_awake then c.turn_due_since else now() end,
        turn_beat_at = case when c.turn_awake then c.turn_beat_at else now() end
      from counted
      where c.agent_id = ${agentId} and c.id = any(array(select id from held, answering where control = 'bot' and can_answer))
      returning c.id, c.last_seq - counted.added[array_position(counted.ids, c.id)] as before_seq
    ),
    incoming as (
      select * from unnest(
        ${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ conversationId }) => conversationId)}::uuid[],
        ${messages.map(({ responseMode }) => responseMode ?? null)}::text[], ${messages.map(({ text }) => text)}::text[],
        ${messages.map(({ clientId }) => clientId ?? null)}::text[], ${placed.places}::integer[],
        ${messages.map(({ answerWith }) => jsonOrNull(answerWith))}::jsonb[],
        ${messages.map(({ attachments }) => jsonOrNull(attachments))}::jsonb[],
        ${messages.map(({ traceparent }) => traceparent ?? null)}::text[]
      ) as i(id, conversation_id, response_mode, text, client_id, place, answer_with, attachments, traceparent)
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, response_mode, text, client_id, answer_with, attachments,
        traceparent)
      select ${agentId}::uuid, i.conversation_id, raised.before_seq + i.place, i.id, 'user', i.response_mode, i.text, i.client_id,
        i.answer_with, i.attachments, i.traceparent
      from incoming i join raised on raised.id = i.conversation_id
    )
    select can_answer, i.id, raised.before_seq + i.place as seq, not held.turn_awake as woke
    from answering left join (incoming i join held on held.id = i.conversation_id left join raised on raised.id = held.id) on true`.execute(
    db,
  );
  if (rows[0]?.can_answer === false) return messages.map(() => ({ kind: "no_webhook" }));
  const byId = new Map<string | null, Accepted>(
    rows.map(({ id, seq, woke }) => [
      id,
      seq === null ? { kind: "held_by_human" } : { kind: "accepted", seq, woke },
    ]),
  );
  return messages.map(({ id }) => byId.get(id));
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Which place each message has among those of its conversation, in the order they came, and how many those are. */
function placeInConversations(messages: UserMessage[]): { places: number[]; counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const places = messages.map(({ conversationId }) => {
    const place = (counts.get(conversationId) ?? 0) + 1;
    counts.set(conversationId, place);
    return place;
  });
  return { places, counts };
}
