import { sql } from "kysely";
import { clockFrom, newId, type Database } from "../platform/index.ts";
import type { AnswerWith } from "./answer-with.ts";
import { IS_LEASED, type Turn } from "./turn-store.ts";

/** One message that its caller waits for, in blocking or streaming mode. */
export interface AskedMessage {
  agentId: string;
  conversationId: string;
  messageId: string;
  seq: number;
  text: string;
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

interface BegunRow {
  began_at: Date;
  control: "bot" | "human";
  is_over: boolean;
  turn_id: string | null;
  epoch: number | null;
  user_id: string | null;
  anonymous_id: string | null;
  no_answers: number | null;
  quiet_seq: number | null;
  is_quiet: boolean | null;
  is_live: boolean | null;
  has_desk: boolean;
}

/** Opens the turn for one message on the node that holds its caller's connection, once everything before it is answered. */
export async function beginCallersTurn(
  db: Database,
  { agentId, conversationId, messageId, seq, text, answerWith, traceparent }: AskedMessage,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<CallersBegin> {
  const { rows } = await sql<BegunRow>`
    with mine as (
      update conversation c set turn_beat_at = now()
      where agent_id = ${agentId} and id = ${conversationId} and control = 'bot' and turn_done_seq < ${seq}
        and not exists (select from message m where m.agent_id = ${agentId} and m.conversation_id = ${conversationId}
          and m.seq > c.turn_done_seq and m.seq < ${seq} and m.sender = 'user')
      returning epoch, user_id, anonymous_id, no_answers, handoff_quiet_seq as quiet_seq,
        coalesce(handoff_quiet_until > now(), false) as is_quiet, channel <> 'api' as is_live
    ),
    opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, ${conversationId}::uuid, ${newId()}::uuid, ${seq}::bigint, ${seq}::bigint, epoch, ${owner},
        now() + ${leaseMs} * interval '1 millisecond'
      from mine
      on conflict (agent_id, conversation_id) where state = 'open' do update set
        first_seq = excluded.first_seq, last_seq = excluded.last_seq, epoch = excluded.epoch,
        owner = excluded.owner, lease_until = excluded.lease_until, started_at = now()
      where turn.owner = excluded.owner or not (${IS_LEASED})
      returning id
    )
    select now() as began_at, c.control, c.turn_done_seq >= ${seq} as is_over, (select id from opened) as turn_id, mine.*,
      exists (select from webhook where agent_id = ${agentId} and kind = 'human_service' and deleted_at is null) as has_desk
    from conversation c left join mine on true
    where c.agent_id = ${agentId} and c.id = ${conversationId}`.execute(db);
  const row = rows[0];
  if (row === undefined || row.is_over) return { kind: "over" };
  if (row.control === "human") return { kind: "held_by_human" };
  if (row.turn_id === null || row.epoch === null) return { kind: "not_yet" };
  return {
    kind: "begun",
    turn: {
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
      isLive: row.is_live ?? false,
      hasDesk: row.has_desk,
      noAnswers: row.no_answers ?? 0,
      quietSeq: row.quiet_seq ?? 0,
      isQuiet: row.is_quiet ?? false,
      awaitsAddress: false,
    },
  };
}

/** Nobody waits for answers up to this number any more. True when there is more to answer behind it. */
export async function passOver(
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
      where agent_id = ${agentId} and conversation_id = ${conversationId} and id = ${id} and state = 'open'
    )
    select turn_awake from passed`.execute(db);
  return rows[0]?.turn_awake ?? false;
}
