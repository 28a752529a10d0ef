import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

export interface UserMessage {
  id: string;
  agentId: string;
  conversationId: string;
  text: string;
  responseMode: "webhook";
}

/**
 * `woke`: no turn was at work, so somebody has to call one. `held_by_human`: nothing was stored, because the message is not
 * the bot's to answer. Undefined: there is no such conversation of this agent.
 */
export type Accepted = { kind: "accepted"; woke: boolean } | { kind: "held_by_human" } | undefined;

/**
 * Accepts messages of one agent, of any of its conversations, in one statement: under each conversation's row lock the
 * next numbers, the messages, and the wake bit of its turn. Conversations are locked in the order of their ids.
 */
export async function acceptUserMessages(
  db: Database,
  agentId: string,
  messages: UserMessage[],
): Promise<Accepted[]> {
  const { rows } = await sql<{ id: string; woke: boolean | null }>`
    with incoming as (
      select * from unnest(
        ${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ conversationId }) => conversationId)}::uuid[],
        ${messages.map(({ responseMode }) => responseMode)}::text[], ${messages.map(({ text }) => text)}::text[]
      ) with ordinality as i(id, conversation_id, response_mode, text, position)
    ),
    held as (
      select id, turn_awake, control from conversation
      where agent_id = ${agentId} and id in (select conversation_id from incoming)
      order by id for update
    ),
    counted as (
      select held.id, held.turn_awake, count(*) as added
      from held join incoming on incoming.conversation_id = held.id
      where held.control = 'bot'
      group by held.id, held.turn_awake
    ),
    raised as (
      update conversation c set
        last_seq = c.last_seq + counted.added,
        turn_due_seq = c.last_seq + counted.added,
        turn_awake = true,
        turn_beat_at = case when counted.turn_awake then c.turn_beat_at else now() end
      from counted
      where c.agent_id = ${agentId} and c.id = counted.id
      returning c.id, c.last_seq - counted.added as before_seq, not counted.turn_awake as woke
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, response_mode, text)
      select ${agentId}::uuid, i.conversation_id,
        raised.before_seq + row_number() over (partition by i.conversation_id order by i.position),
        i.id, 'user', i.response_mode, i.text
      from incoming i join raised on raised.id = i.conversation_id
    )
    select i.id, raised.woke from incoming i join held on held.id = i.conversation_id
    left join raised on raised.id = held.id`.execute(db);
  const byId = new Map<string, Accepted>(
    rows.map(({ id, woke }) => [id, woke === null ? { kind: "held_by_human" } : { kind: "accepted", woke }]),
  );
  return messages.map(({ id }) => byId.get(id));
}
