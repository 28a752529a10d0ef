import { sql } from "kysely";
import { LOCKED, type Database } from "../platform/index.ts";
import { isForWebhook, type Accepted, type UserMessage } from "./accept-messages.ts";
import { placeInConversations } from "./place-in-conversations.ts";

/** The bytes of a longer one would keep other agents waiting. */
const SHARED_TEXT_MAX = 4_000;

/** Messages for the webhook that are nothing but a short text, as nearly all are. */
export function mayShareAccept(message: UserMessage): boolean {
  const { text, attachments, answerWith } = message;
  return (
    isForWebhook(message) &&
    text.length <= SHARED_TEXT_MAX &&
    attachments === undefined &&
    answerWith === undefined
  );
}

interface AcceptedRow {
  id: string;
  control: "bot" | "human";
  can_answer: boolean;
  seq: number;
  woke: boolean;
}

/**
 * Accepts messages of any agents in one statement, as `acceptUserMessages` does those of one. No agent waits for another's row: `LOCKED` is a
 * conversation that somebody else has locked, or that its agent does not have. Nothing of these is stored.
 */
export async function acceptAcrossAgents(
  db: Database,
  messages: UserMessage[],
): Promise<(NonNullable<Accepted> | typeof LOCKED)[]> {
  const { conversations, numbers, places } = placeInConversations(messages);
  // Rows are locked by lateral look-ups and then written by `on conflict`: an update would open every partition (ADR 0032).
  const { rows } = await sql<AcceptedRow>`
    with held as (
      select asked.agent_id, asked.added, asked.conversation, c.*,
        exists (select from webhook where agent_id = asked.agent_id and kind = 'message' and deleted_at is null) as can_answer
      from unnest(
        ${conversations.map(({ agentId }) => agentId)}::uuid[],
        ${conversations.map(({ conversationId }) => conversationId)}::uuid[], ${conversations.map(({ added }) => added)}::integer[]
      ) with ordinality as asked(agent_id, id, added, conversation),
      lateral (
        select id, channel, turn_awake, control, last_seq as before_seq
        from conversation where agent_id = asked.agent_id and id = asked.id and redacted_at is null
        for update skip locked
      ) c
    ),
    accepted as (select * from held where control = 'bot' and can_answer),
    raised as (
      insert into conversation (agent_id, id, channel, last_seq, turn_due_seq, turn_awake)
      select agent_id, id, channel, before_seq + added, before_seq + added, true from accepted
      on conflict (agent_id, id) do update set last_seq = excluded.last_seq, turn_due_seq = excluded.turn_due_seq, turn_awake = true,
        turn_due_since = case when conversation.turn_awake then conversation.turn_due_since else now() end,
        turn_beat_at = case when conversation.turn_awake then conversation.turn_beat_at else now() end
    ),
    incoming as (
      select * from unnest(
        ${messages.map(({ id }) => id)}::uuid[], ${numbers}::integer[], ${places}::integer[],
        ${messages.map(({ text }) => text)}::text[],
        ${messages.map(({ clientId }) => clientId ?? null)}::text[], ${messages.map(({ traceparent }) => traceparent ?? null)}::text[]
      ) as i(id, conversation, place, text, client_id, traceparent)
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, response_mode, text, client_id, traceparent)
      select a.agent_id, a.id, a.before_seq + i.place, i.id, 'user', 'webhook', i.text, i.client_id, i.traceparent
      from incoming i join accepted a on a.conversation = i.conversation
    )
    select i.id, held.control, held.can_answer, held.before_seq + i.place as seq, not held.turn_awake as woke
    from incoming i join held on held.conversation = i.conversation`.execute(db);
  const found = new Map(rows.map((row) => [row.id, row]));
  return messages.map(({ id }) => {
    const row = found.get(id);
    if (row === undefined) return LOCKED;
    if (!row.can_answer) return { kind: "no_webhook" };
    if (row.control === "human") return { kind: "held_by_human" };
    return { kind: "accepted", seq: row.seq, woke: row.woke };
  });
}
