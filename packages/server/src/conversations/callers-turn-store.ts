import { sql, type RawBuilder } from "kysely";
import { clockFrom, newId, type Database } from "../platform/index.ts";
import type { AnswerWith } from "./answer-with.ts";
import { IS_LEASED, LEASE_MAX_MS, type Turn } from "./turn-store.ts";

/** One message that its caller waits for, in blocking or streaming mode. */
export interface AskedMessage {
  agentId: string;
  conversationId: string;
  messageId: string;
  seq: number;
  text: string;
  /** The id that this call gave its message. A repeat of an earlier call asks about the message of that one. */
  callId: string;
  answerWith: AnswerWith | undefined;
  traceparent: string | undefined;
}

export type CallersBegin =
  | { kind: "begun"; turn: Turn }
  /** Something before it is not answered yet, or somebody is at work. */
  | { kind: "not_yet" }
  | { kind: "held_by_human" }
  /** Answered, or given up because its node had made no sound for too long. */
  | { kind: "over" };

/** What a caller's turn is made of beside its message. */
export interface CallersTurnRow {
  began_at: Date;
  turn_id: string;
  epoch: number;
  user_id: string | null;
  anonymous_id: string | null;
  no_answers: number;
  quiet_seq: number;
  is_quiet: boolean;
  is_live: boolean;
  has_desk: boolean;
}

/** Without a turn something stands in its way. */
type BegunRow = (CallersTurnRow | { turn_id: null }) & { control: "bot" | "human"; is_over: boolean };

/** What is read of the conversation, whose alias is `c`. */
export const TURN_FACTS = sql`c.epoch, c.user_id, c.anonymous_id, c.no_answers, c.handoff_quiet_seq as quiet_seq,
  coalesce(c.handoff_quiet_until > now(), false) as is_quiet, c.channel <> 'api' as is_live`;

export function hasDesk(agentId: string | RawBuilder<string>): RawBuilder<boolean> {
  return sql`exists (select from webhook where agent_id = ${agentId} and kind = 'human_service' and deleted_at is null)`;
}

/** Made of the call's id: the call finds the turn again that a commit without an answer opened for it. */
export function newOwner(callId: string): string {
  return `caller ${callId}`;
}

/** Opens the turn for one message on the node that holds its caller's connection, once everything before it is answered. */
export async function beginCallersTurn(
  db: Database,
  asked: AskedMessage,
  owner: string,
): Promise<CallersBegin> {
  const { agentId, conversationId, seq } = asked;
  const { rows } = await sql<BegunRow>`
    with mine as (
      update conversation c set turn_beat_at = now()
      where agent_id = ${agentId} and id = ${conversationId} and control = 'bot' and turn_done_seq < ${seq}
        and not exists (select from message m where m.agent_id = ${agentId} and m.conversation_id = ${conversationId}
          and m.seq > c.turn_done_seq and m.seq < ${seq} and m.sender = 'user')
      returning ${TURN_FACTS}
    ),
    opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, ${conversationId}::uuid, ${newId()}::uuid, ${seq}::bigint, ${seq}::bigint, epoch, ${owner},
        now() + ${LEASE_MAX_MS} * interval '1 millisecond'
      from mine
      on conflict (agent_id, conversation_id) where state = 'open' do update set
        first_seq = excluded.first_seq, last_seq = excluded.last_seq, epoch = excluded.epoch,
        owner = excluded.owner, lease_until = excluded.lease_until, started_at = now()
      where turn.owner = excluded.owner or not (${IS_LEASED})
      returning id
    )
    select now() as began_at, c.control, c.turn_done_seq >= ${seq} as is_over, (select id from opened) as turn_id, mine.*,
      ${hasDesk(agentId)} as has_desk
    from conversation c left join mine on true
    where c.agent_id = ${agentId} and c.id = ${conversationId}`.execute(db);
  const row = rows[0];
  if (row === undefined || row.is_over) return { kind: "over" };
  if (row.control === "human") return { kind: "held_by_human" };
  return row.turn_id === null ? { kind: "not_yet" } : { kind: "begun", turn: callersTurn(asked, row) };
}

export function callersTurn(asked: AskedMessage, row: CallersTurnRow): Turn {
  const { agentId, conversationId, messageId, seq, text, answerWith, traceparent } = asked;
  return {
    id: row.turn_id,
    agentId,
    conversationId,
    epoch: row.epoch,
    now: clockFrom(row.began_at),
    due: [
      {
        id: messageId,
        seq,
        text,
        isLeft: false,
        answerWith: answerWith ?? null,
        traceparent: traceparent ?? null,
      },
    ],
    userId: row.user_id,
    anonymousId: row.anonymous_id,
    // Blocking and streaming modes do not use the webhook.
    destinationId: undefined,
    isLive: row.is_live,
    hasDesk: row.has_desk,
    noAnswers: row.no_answers,
    quietSeq: row.quiet_seq,
    isQuiet: row.is_quiet,
    awaitsAddress: false,
  };
}

/** Nobody waits for answers up to this number any more. True when there is more to answer behind it. */
export async function skipMessages(
  db: Database,
  { agentId, conversationId, id, epoch }: Turn,
  seq: number,
): Promise<boolean> {
  const { rows } = await sql<{ turn_awake: boolean }>`
    with passed as (
      update conversation set turn_done_seq = ${seq}, turn_awake = turn_due_seq > ${seq}, turn_due_since = now(),
        turn_beat_at = now()
      where agent_id = ${agentId} and id = ${conversationId} and epoch = ${epoch} and turn_done_seq < ${seq}
      returning turn_awake
    ),
    closed as (
      update turn set state = 'abandoned', finished_at = now()
      where agent_id = ${agentId} and conversation_id = ${conversationId} and id = ${id ?? null} and state = 'open'
    )
    select turn_awake from passed`.execute(db);
  return rows[0]?.turn_awake ?? false;
}
