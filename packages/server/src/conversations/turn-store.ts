import { sql, type RawBuilder } from "kysely";
import type { StoredSettings } from "../handoff/index.ts";
import { clockFrom, newId, type Database } from "../platform/index.ts";
import type { AnswerWith } from "./answer-with.ts";

export interface DueMessage {
  id: string;
  seq: number;
  text: string;
  /** Its caller waited for the answer, and is gone: nobody would hear it. */
  isLeft: boolean;
  answerWith: AnswerWith | null;
  /** W3C trace context of the request that brought it. */
  traceparent: string | null;
  /** When it was accepted, in milliseconds of the database's clock; undefined where nobody asks. */
  acceptedAt?: number;
}

/** One turn of the agent: the user's messages it answers, one reply each, and the epoch it may answer in. */
export interface Turn {
  /** Undefined when it was read and not opened: nobody has a lease on it. */
  id: string | undefined;
  agentId: string;
  conversationId: string;
  epoch: number;
  /** By the clock of the database, so that a reply has one date, in its row and in its body. */
  now: () => Date;
  due: DueMessage[];
  userId: string | null;
  anonymousId: string | null;
  /** Where replies go beside live streams; undefined when nowhere, or when the message webhook was removed meanwhile. */
  destinationId: string | undefined;
  /** Somebody may follow it live. */
  isLive: boolean;
  /** There is somebody to hand over to. */
  hasDesk: boolean;
  /** How the agent hands over, where that was read with the turn. */
  deskSettings?: StoredSettings | undefined;
  /** Questions in a row that had no answer, before this turn. */
  noAnswers: number;
  /** What was said up to here has had its handoff, and asks for no other. */
  quietSeq: number;
  /** A person was here a moment ago. */
  isQuiet: boolean;
  /** The user was told that no desk is open, and may leave an address. */
  awaitsAddress: boolean;
}

export type BeginResult = { kind: "begun"; turn: Turn } | { kind: "nothing_due" } | { kind: "taken" };

/** A conversation whose turn is due, and the call that wants to take it. */
export interface TurnCall {
  conversationId: string;
  callId: string;
}

/** No call leases a turn for longer. */
export const LEASE_MAX_MS = 60_000;

export interface TurnClaim {
  leaseMs: number;
  /** How long a message stands that its caller waits for, before it is passed over. */
  waitsMs: number;
  most: number;
}

/** What a turn is made of beside its ids. */
export interface TurnRow {
  began_at: Date;
  epoch: number;
  user_id: string | null;
  anonymous_id: string | null;
  destination_id: string | null;
  is_live: boolean;
  has_desk: boolean;
  no_answers: number;
  quiet_seq: number;
  is_quiet: boolean;
  awaits_address: boolean;
  due: DueMessage[] | null;
}

type BegunRow = TurnRow & { conversation_id: string; turn_id: string | null };

/**
 * Rule 9: a writer of several conversations of an agent locks them in the order of their ids. An update alone takes rows
 * in the order its plan finds them, so that two of them could wait for each other.
 */
function lockedConversations(agentId: string, ids: string[]): RawBuilder<string[]> {
  return sql`array(select id from conversation where agent_id = ${agentId} and id = any(${ids}::uuid[]) order by id for update)`;
}

/**
 * A lease that ends later than any can was given before the database clock was set back, and does not count. That end needs
 * clock_timestamp(): a call that waited for the row has an older now() than the turn's owner.
 */
export const IS_LEASED: RawBuilder<boolean> = sql`turn.lease_until >= now()
  and turn.lease_until <= clock_timestamp() + ${sql.lit(LEASE_MAX_MS)} * interval '1 millisecond'`;

/** Of `oldestDue` as `m`, in the order of their numbers. */
export const DUE_MESSAGES = sql`json_agg(json_build_object('id', m.id, 'seq', m.seq, 'text', m.text, 'isLeft', m.waits,
  'answerWith', m.answer_with, 'traceparent', m.traceparent, 'acceptedAt', extract(epoch from m.created_at) * 1000) order by m.seq)`;

/**
 * The oldest messages of the user that are not answered. What a caller waits for, and all behind it, `is_for_caller`; not what
 * only a clock that was set back can have left in the future.
 */
export function oldestDue(
  of: {
    agentId: string | RawBuilder<string>;
    conversationId: RawBuilder<string>;
    doneSeq: RawBuilder<number>;
  },
  { waitsMs, most }: Pick<TurnClaim, "waitsMs" | "most">,
): RawBuilder<unknown> {
  return sql`
    select *, bool_or(waits and created_at > now() - ${waitsMs} * interval '1 millisecond'
      and created_at < clock_timestamp() + ${waitsMs} * interval '1 millisecond') over (order by seq) as is_for_caller
    from (
      select id, seq, text, answer_with, traceparent, created_at, coalesce(response_mode in ('blocking', 'streaming'), false) as waits
      from message
      where agent_id = ${of.agentId} and conversation_id = ${of.conversationId} and seq > ${of.doneSeq} and sender = 'user'
      order by seq limit ${most}
    ) oldest`;
}

/**
 * Opens the turns for the oldest unanswered messages of conversations of one agent, in one statement. One turn of a
 * conversation is open at a time; one whose lease ran out is taken over, its owner having died or lost its way, and one of the
 * same call at once. What a caller waits for, and all behind it, is left to the node that holds the caller's connection.
 */
export async function beginTurns(
  db: Database,
  agentId: string,
  asked: TurnCall[],
  claim: TurnClaim,
): Promise<BeginResult[]> {
  const callOf = new Map(asked.toReversed().map(({ conversationId, callId }) => [conversationId, callId]));
  const ids = [...callOf.keys()];
  const { rows } = await sql<BegunRow>`
    with awake as (
      update conversation set turn_beat_at = now()
      where agent_id = ${agentId} and id = any(${lockedConversations(agentId, ids)}) and turn_awake and control = 'bot'
      returning id, channel, turn_done_seq, epoch, user_id, anonymous_id, no_answers, handoff_quiet_seq as quiet_seq,
        coalesce(handoff_quiet_until > now(), false) as is_quiet, away_component_id is not null as awaits_address
    ),
    due as (
      select awake.id as conversation_id, min(m.seq) as first_seq, max(m.seq) as last_seq,
        ${DUE_MESSAGES} as messages
      from awake, lateral (${oldestDue({ agentId, conversationId: sql`awake.id`, doneSeq: sql`awake.turn_done_seq` }, claim)}) m
      where not m.is_for_caller
      group by awake.id
    ),
    opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, awake.id, asked.turn_id, due.first_seq, due.last_seq, awake.epoch, asked.owner,
        now() + ${claim.leaseMs} * interval '1 millisecond'
      from awake join due on due.conversation_id = awake.id
      join unnest(${ids}::uuid[], ${ids.map(() => newId())}::uuid[], ${[...callOf.values()]}::text[]) as asked(conversation_id, turn_id, owner)
        on asked.conversation_id = awake.id
      on conflict (agent_id, conversation_id) where state = 'open' do update set
        first_seq = excluded.first_seq, last_seq = excluded.last_seq, epoch = excluded.epoch,
        owner = excluded.owner, lease_until = excluded.lease_until, started_at = now()
      where turn.owner = excluded.owner or not (${IS_LEASED})
      returning conversation_id, id
    )
    select awake.id as conversation_id, now() as began_at, awake.epoch, awake.user_id, awake.anonymous_id, awake.no_answers, awake.quiet_seq,
      awake.is_quiet, awake.awaits_address, opened.id as turn_id, due.messages as due,
      awake.channel <> 'api' as is_live, (select id from webhook where agent_id = ${agentId} and kind = 'message'
        and deleted_at is null and (awake.channel = 'api' or mirrors_live)) as destination_id,
      exists (select from webhook where agent_id = ${agentId} and kind = 'human_service' and deleted_at is null) as has_desk
    from awake
    left join due on due.conversation_id = awake.id
    left join opened on opened.conversation_id = awake.id`.execute(db);
  const byConversation = new Map(rows.map((row) => [row.conversation_id, row]));
  return asked.map(({ conversationId, callId }) => {
    // Asked for twice, it is given once.
    if (callOf.get(conversationId) !== callId) return { kind: "nothing_due" };
    return begun(agentId, byConversation.get(conversationId));
  });
}

function begun(agentId: string, row: BegunRow | undefined): BeginResult {
  if (row === undefined || row.due === null) return { kind: "nothing_due" };
  if (row.turn_id === null) return { kind: "taken" };
  return {
    kind: "begun",
    turn: turnOf({ agentId, conversationId: row.conversation_id }, row.turn_id, row),
  };
}

export function turnOf(
  of: { agentId: string; conversationId: string },
  id: string | undefined,
  row: TurnRow,
): Turn {
  return {
    ...of,
    id,
    epoch: row.epoch,
    now: clockFrom(row.began_at),
    due: row.due ?? [],
    userId: row.user_id,
    anonymousId: row.anonymous_id,
    destinationId: row.destination_id ?? undefined,
    isLive: row.is_live,
    hasDesk: row.has_desk,
    noAnswers: row.no_answers,
    quietSeq: row.quiet_seq,
    isQuiet: row.is_quiet,
    awaitsAddress: row.awaits_address,
  };
}

/** Closes a turn whose replies are not wanted any more; the messages it was for stay due. */
export async function closeTurn(
  db: Database,
  { agentId, conversationId, id }: Turn,
  state: "superseded" | "abandoned",
): Promise<void> {
  if (id === undefined) return;
  await db
    .updateTable("turn")
    .set({ state, finished_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("id", "=", id)
    .where("state", "=", "open")
    .execute();
}

/** The worker that still works on the turn keeps it. */
export async function renewLease(
  db: Database,
  { agentId, conversationId, id }: Turn,
  owner: string,
  leaseMs: number,
): Promise<void> {
  if (id === undefined) return;
  await db
    .updateTable("turn")
    .set({ lease_until: sql`now() + ${leaseMs} * interval '1 millisecond'` })
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("id", "=", id)
    .where("owner", "=", owner)
    .where("state", "=", "open")
    .execute();
}

/** The agent is gone: nothing in this conversation is due any more. */
export async function abandonTurns(db: Database, { agentId, conversationId }: Turn): Promise<void> {
  await db
    .updateTable("conversation")
    .set({ turn_awake: false, turn_done_seq: sql`turn_due_seq` })
    .where("agent_id", "=", agentId)
    .where("id", "=", conversationId)
    .execute();
}
