import type { MessageAttachment, ResponseMode } from "@signalbox/contract";
import { sql } from "kysely";
import { newId, type Database } from "../platform/index.ts";
import type { AnswerWith } from "./answer-with.ts";
import { hasDesk, newOwner, TURN_FACTS, type CallersTurnRow } from "./callers-turn-store.ts";
import { placeInConversations } from "./place-in-conversations.ts";
import { LEASE_MAX_MS } from "./turn-store.ts";

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
  /** Told of its caller's turn once the statement is answered. The commit is under way: it may fail, and the statement be repeated. */
  onTurnOpened?: ((seq: number, turn: CallersTurnRow) => void) | undefined;
}

/**
 * `woke`: no turn was at work, so the caller must call one. `turn`: the caller's own, opened at once. The other kinds stored
 * nothing: in `held_by_human` the agent may not answer; in `no_webhook` its answer could go nowhere. Undefined: this agent
 * has no such conversation.
 */
export type Accepted =
  | { kind: "accepted"; seq: number; woke: boolean; turn?: CallersTurnRow | undefined }
  | { kind: "held_by_human" }
  | { kind: "no_webhook" }
  | undefined;

/** Its answer goes to the message webhook. */
export function isForWebhook({ responseMode }: Pick<UserMessage, "responseMode">): boolean {
  return responseMode === "webhook";
}

/** Its caller waits for the answer, which is made on this node. */
export function isForCaller({ responseMode }: Pick<UserMessage, "responseMode">): boolean {
  return responseMode === "blocking" || responseMode === "streaming";
}

/**
 * Accepts messages of one agent, of any of its conversations, in one statement: under each conversation's row lock the
 * next numbers, the messages, and the wake bit of its turn. Conversations are locked in the order of their ids. Either all of the
 * messages are for the webhook or none is. Where a caller waits and nobody before it does, the statement opens its turn as well.
 */
export async function acceptUserMessages(
  db: Database,
  agentId: string,
  messages: UserMessage[],
  { opensTurns }: { opensTurns: boolean },
): Promise<Accepted[]> {
  const placed = placeInConversations(messages);
  const opening = opensTurns && messages.some(isForCaller) ? openTurns(agentId, messages) : NO_TURNS;
  // Rows are locked by lateral look-ups and then written by `on conflict`: an update would open every partition (ADR 0032).
  const { rows } = await sql<AcceptedRow>`
    with answering as (
      select ${!messages.some(isForWebhook)} or exists (
        select from webhook where agent_id = ${agentId} and kind = 'message' and deleted_at is null) as can_answer
    ),
    held as (
      select c.*, counted.added, c.control = 'bot' and answering.can_answer as is_accepted
      from answering, unnest(${placed.conversations.map(({ conversationId }) => conversationId)}::uuid[],
        ${placed.conversations.map(({ added }) => added)}::integer[]) as counted(id, added), lateral (
        select c.id, c.channel, c.turn_awake, c.control, c.last_seq as before_seq, ${TURN_FACTS}
        from conversation c where agent_id = ${agentId} and c.id = counted.id and redacted_at is null
        for update
      ) c
    ),
    raised as (
      insert into conversation (agent_id, id, channel, last_seq, turn_due_seq, turn_awake)
      select ${agentId}::uuid, id, channel, before_seq + added, before_seq + added, true from held where is_accepted
      on conflict (agent_id, id) do update set last_seq = excluded.last_seq, turn_due_seq = excluded.turn_due_seq, turn_awake = true,
        turn_due_since = case when conversation.turn_awake then conversation.turn_due_since else now() end,
        turn_beat_at = case when conversation.turn_awake then conversation.turn_beat_at else now() end
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
      select ${agentId}::uuid, i.conversation_id, held.before_seq + i.place, i.id, 'user', i.response_mode, i.text, i.client_id,
        i.answer_with, i.attachments, i.traceparent
      from incoming i join held on held.id = i.conversation_id and held.is_accepted
    )
    ${opening.step}
    select can_answer, i.id, case when held.is_accepted then held.before_seq + i.place end as seq, not held.turn_awake as woke,
      ${opening.columns}
    from answering left join (incoming i join held on held.id = i.conversation_id ${opening.join}) on true`.execute(
    db,
  );
  if (rows[0]?.can_answer === false) return messages.map(() => ({ kind: "no_webhook" }));
  const byId = new Map<string | null, Accepted>(
    rows.map(({ id, seq, woke, ...turn }) => [
      id,
      seq === null
        ? { kind: "held_by_human" }
        : { kind: "accepted", seq, woke, turn: turn.turn_id === null ? undefined : turn },
    ]),
  );
  return messages.map(({ id }) => byId.get(id));
}

type AcceptedRow = { can_answer: boolean; id: string | null; seq: number | null; woke: boolean } & (
  | CallersTurnRow
  | { turn_id: null }
);

const NO_TURNS = { step: sql``, columns: sql`null as turn_id`, join: sql`` };

/** For the first message of a conversation in which nothing else is to be answered; the others wait for their turn. */
function openTurns(agentId: string, messages: UserMessage[]) {
  const callers = messages.filter(isForCaller);
  return {
    step: sql`, opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, i.conversation_id, asked.turn_id, held.before_seq + 1, held.before_seq + 1, held.epoch, asked.owner,
        now() + ${LEASE_MAX_MS} * interval '1 millisecond'
      from unnest(${callers.map(({ id }) => id)}::uuid[], ${callers.map(() => newId())}::uuid[], ${callers.map(({ id }) => newOwner(id))}::text[])
        as asked(message_id, turn_id, owner)
      join incoming i on i.id = asked.message_id and i.place = 1
      join held on held.id = i.conversation_id and held.is_accepted and not held.turn_awake
      on conflict (agent_id, conversation_id) where state = 'open' do nothing
      returning conversation_id, id
    )`,
    columns: sql`opened.id as turn_id, now() as began_at, held.epoch, held.user_id, held.anonymous_id, held.no_answers,
      held.quiet_seq, held.is_quiet, held.is_live, ${hasDesk(agentId)} as has_desk`,
    join: sql`left join opened on opened.conversation_id = i.conversation_id and i.place = 1`,
  };
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
