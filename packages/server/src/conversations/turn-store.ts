import { sql, type RawBuilder } from "kysely";
import {
  claimAtCommit,
  enqueueManyWith,
  raisedLanes,
  type Claim,
  type RaisedLane,
} from "../delivery/index.ts";
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
  id: string;
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

/** No turn is leased for longer, whoever takes it. */
export const LEASE_MAX_MS = 60_000;

export interface TurnClaim {
  leaseMs: number;
  /** How long a message stands that its caller waits for, before it is passed over. */
  waitsMs: number;
  most: number;
}

interface BegunRow {
  conversation_id: string;
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
  turn_id: string | null;
}

/**
 * Rule 9: whoever writes to several conversations of an agent locks them in the order of their ids. An update alone takes
 * rows in the order its plan finds them, so that two of them could wait for each other.
 */
function lockedConversations(agentId: string, ids: string[]): RawBuilder<string[]> {
  return sql`array(select id from conversation where agent_id = ${agentId} and id = any(${ids}::uuid[]) order by id for update)`;
}

/**
 * A lease that ends later than any can was given before the database clock was set back, and counts for nothing. Not by now(): whoever waited
 * for the row has an older one than the owner.
 */
export const IS_LEASED: RawBuilder<boolean> = sql`turn.lease_until >= now()
  and turn.lease_until <= clock_timestamp() + ${sql.lit(LEASE_MAX_MS)} * interval '1 millisecond'`;

/**
 * Opens the turns for the oldest unanswered messages of conversations of one agent, in one statement. One turn of a
 * conversation is open at a time; one whose lease ran out is taken over, its owner having died or lost its way, and one of the
 * same call at once. What a caller waits for, and all behind it, is left to the node that holds the caller's connection.
 */
export async function beginTurns(
  db: Database,
  agentId: string,
  asked: TurnCall[],
  { leaseMs, waitsMs, most }: TurnClaim,
): Promise<BeginResult[]> {
  const callOf = new Map(asked.toReversed().map(({ conversationId, callId }) => [conversationId, callId]));
  const ids = [...callOf.keys()];
  const inMs = (ms: number) => sql`${ms} * interval '1 millisecond'`;
  const { rows } = await sql<BegunRow>`
    with awake as (
      update conversation set turn_beat_at = now()
      where agent_id = ${agentId} and id = any(${lockedConversations(agentId, ids)}) and turn_awake and control = 'bot'
      returning id, channel, turn_done_seq, epoch, user_id, anonymous_id, no_answers, handoff_quiet_seq as quiet_seq,
        coalesce(handoff_quiet_until > now(), false) as is_quiet, away_component_id is not null as awaits_address
    ),
    due as (
      select awake.id as conversation_id, min(m.seq) as first_seq, max(m.seq) as last_seq,
        json_agg(json_build_object('id', m.id, 'seq', m.seq, 'text', m.text, 'isLeft', m.waits, 'answerWith', m.answer_with,
          'traceparent', m.traceparent, 'acceptedAt', extract(epoch from m.created_at) * 1000) order by m.seq) as messages
      from awake, lateral (
        select id, seq, text, waits, answer_with, traceparent, created_at, bool_or(waits and created_at > now() - ${inMs(waitsMs)}) over (order by seq) as is_for_caller
        from (
          select id, seq, text, answer_with, traceparent, created_at, coalesce(response_mode in ('blocking', 'streaming'), false) as waits
          from message
          where agent_id = ${agentId} and conversation_id = awake.id and seq > awake.turn_done_seq and sender = 'user'
          order by seq limit ${most}
        ) oldest
      ) m
      where not m.is_for_caller
      group by awake.id
    ),
    opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, awake.id, asked.turn_id, due.first_seq, due.last_seq, awake.epoch, asked.owner,
        now() + ${inMs(leaseMs)}
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
    turn: {
      id: row.turn_id,
      agentId,
      conversationId: row.conversation_id,
      epoch: row.epoch,
      now: clockFrom(row.began_at),
      due: row.due,
      userId: row.user_id,
      anonymousId: row.anonymous_id,
      destinationId: row.destination_id ?? undefined,
      isLive: row.is_live,
      hasDesk: row.has_desk,
      noAnswers: row.no_answers,
      quietSeq: row.quiet_seq,
      isQuiet: row.is_quiet,
      awaitsAddress: row.awaits_address,
    },
  };
}

export interface Reply {
  /** The user's message it answers. */
  toSeq: number;
  messageId: string;
  createdAt: Date;
  text: string;
  branch: "direct" | "model" | "fallback" | "notice";
  /** The bytes of 2.5; undefined for a reply that goes to its caller and nowhere else. */
  body: Buffer | undefined;
  /** Questions in a row that had no answer, this one included. */
  noAnswers: number;
  /** Stored questions offered with it. */
  suggestions?: string[] | undefined;
  /** The id of the user's message it answers. */
  inReplyTo: string;
  /** W3C trace context in which it is delivered. */
  traceparent?: string | undefined;
}

/** Replies of one turn, at least one, in order. */
export interface TurnReplies {
  turn: Turn;
  replies: Reply[];
  /** Which call sends them at once if they wake their lane; undefined when the lane is to be called. */
  sentBy?: string | undefined;
}

/**
 * `woken`: somebody has to call it. `claimed`: the call that committed holds it, and sends. `held`: that call held it before, so that it
 * is sending, or was made again and has to.
 */
export type CommittedLane =
  | { id: string; is: "woken" | "held" }
  | { id: string; is: "claimed"; claim: Claim };

export type CommitResult =
  /** No lane: nothing was to be sent, or others are sending. */
  { kind: "committed"; moreDue: boolean; lane: CommittedLane | undefined } | { kind: "superseded" };

/**
 * The accept transaction of replies in conversations of one agent, in one statement: messages, deliveries and the lanes'
 * wake bits commit together, under each conversation's row lock, and only in the epoch a turn began in and when nobody
 * has answered yet. Of two turns of one conversation one at most is committed.
 */
export async function commitReplies(
  db: Database,
  agentId: string,
  answered: TurnReplies[],
): Promise<CommitResult[]> {
  const sorted = answered.toSorted((a, b) => (a.turn.conversationId < b.turn.conversationId ? -1 : 1));
  const column = <Value>(read: (item: TurnReplies) => Value) => sorted.map(read);
  const replies = sorted.flatMap(({ replies }, acceptedAs) =>
    replies.map((reply, index) => ({ ...reply, acceptedAs: acceptedAs + 1, position: index + 1 })),
  );
  const conversationIds = column(({ turn }) => turn.conversationId);
  const outbox = new Map(sorted.map((item) => [item, outboxOf(item)]));
  const lanes = raisedLanes(agentId);
  // One row of arrays and no join: a plan is made once, for batches of any size, and must not scan one side for each of the other.
  const answeredRow = sql`(select ${conversationIds}::uuid[] as ids, ${column(({ turn }) => turn.id)}::uuid[] as turn_ids,
    ${column(({ turn }) => turn.epoch)}::bigint[] as epoch, ${column(({ replies }) => replies[0]?.toSeq)}::bigint[] as first_seq,
    ${column(({ replies }) => replies.at(-1)?.toSeq)}::bigint[] as last_seq, ${column(({ replies }) => replies.length)}::integer[] as added,
    ${column(({ replies }) => replies.at(-1)?.noAnswers)}::integer[] as no_answers)`;
  type Row = { accepted_as: number; more_due: boolean } & (RaisedLane | { lane_id: null });
  const { rows } = await sql<Row>`
    with answered as ${answeredRow},
    raised as (
      update conversation c set
        last_seq = c.last_seq + a.added[array_position(a.ids, c.id)],
        turn_done_seq = a.last_seq[array_position(a.ids, c.id)],
        turn_awake = c.turn_due_seq > a.last_seq[array_position(a.ids, c.id)],
        no_answers = a.no_answers[array_position(a.ids, c.id)],
        turn_due_since = now(),
        turn_beat_at = now()
      from answered a
      where c.agent_id = ${agentId} and c.id = any(${lockedConversations(agentId, conversationIds)}) and c.control = 'bot'
        and c.epoch = a.epoch[array_position(a.ids, c.id)]
        and c.turn_done_seq < a.first_seq[array_position(a.ids, c.id)]
      returning c.id as conversation_id, c.last_seq - a.added[array_position(a.ids, c.id)] as before_seq, c.turn_awake,
        array_position(a.ids, c.id) as accepted_as
    ),
    turn_answered as (
      update turn t set state = 'answered', finished_at = now() from answered a
      where t.agent_id = ${agentId} and t.conversation_id = any(array(select conversation_id from raised))
        and t.state = 'open' and t.id = a.turn_ids[array_position(a.ids, t.conversation_id)]
        and t.last_seq = a.last_seq[array_position(a.ids, t.conversation_id)]
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text, branch, created_at, suggestions)
      select ${agentId}::uuid, raised.conversation_id, raised.before_seq + reply.position, reply.id,
        -- A notice is the service's: neither a desk nor a model is told that the agent said it.
        case reply.branch when 'notice' then 'system' else 'ai' end, reply.text, reply.branch, reply.created_at,
        (select array_agg(value order by place) from jsonb_array_elements_text(reply.suggestions) with ordinality as offered(value, place))
      from raised join unnest(
        ${replies.map(({ acceptedAs }) => acceptedAs)}::integer[], ${replies.map(({ position }) => position)}::integer[],
        ${replies.map(({ messageId }) => messageId)}::uuid[], ${replies.map(({ text }) => text)}::text[],
        ${replies.map(({ branch }) => branch)}::text[], ${replies.map(({ createdAt }) => createdAt)}::timestamptz[],
        ${replies.map(({ suggestions = [] }) => (suggestions.length === 0 ? null : JSON.stringify(suggestions)))}::jsonb[]
      ) as reply(accepted_as, position, id, text, branch, created_at, suggestions) on reply.accepted_as = raised.accepted_as
    ),
    ${enqueueManyWith(sql`raised`, {
      agentId,
      event: "message",
      sender: "ai",
      additions: sorted.flatMap((item, acceptedAs) => {
        const { destinationId, conversationId } = item.turn;
        const items = outbox.get(item) ?? [];
        return destinationId === undefined
          ? []
          : [{ acceptedAs: acceptedAs + 1, destinationId, conversationId, items, heldBy: item.sentBy }];
      }),
    })}
    select raised.accepted_as, raised.turn_awake as more_due, ${lanes.columns}
    from raised left join lane_raised on lane_raised.conversation_id = raised.conversation_id
    ${lanes.joins}`.execute(db);
  const committedAt = performance.now();
  const committed = new Map(rows.map((row) => [sorted[row.accepted_as - 1], row]));
  return answered.map((item) => {
    const row = committed.get(item);
    if (row === undefined) return { kind: "superseded" };
    return { kind: "committed", moreDue: row.more_due, lane: laneOf(row, item) };
  });

  function laneOf(row: Row, item: TurnReplies): CommittedLane | undefined {
    if (row.lane_id === null) return undefined;
    const { lane_id: id, held_by: heldBy, claimed_at: at } = row;
    if (!row.woke) return heldBy !== null && heldBy === item.sentBy ? { id, is: "held" } : undefined;
    if (item.sentBy === undefined) return { id, is: "woken" };
    const claim = claimAtCommit(row, committedAt, outbox.get(item) ?? [], lateMs(item, at));
    return { id, is: "claimed", claim };
  }
}

function outboxOf({ replies }: TurnReplies) {
  return replies.flatMap(({ body, messageId, inReplyTo, traceparent }) =>
    body === undefined ? [] : [{ id: newId(), body, messageId, inReplyTo, traceparent }],
  );
}

/** From the accept of the last message that is answered to the commit of its answer: what delays that is what delays everybody's messages. */
function lateMs({ turn, replies }: TurnReplies, committedAt: Date): number {
  const { acceptedAt } = turn.due.find(({ seq }) => seq === replies.at(-1)?.toSeq) ?? {};
  return acceptedAt === undefined ? 0 : Math.max(0, committedAt.getTime() - acceptedAt);
}

/** Closes a turn whose replies are not wanted any more; the messages it was for stay due. */
export async function closeTurn(
  db: Database,
  { agentId, conversationId, id }: Turn,
  state: "superseded" | "abandoned",
): Promise<void> {
  await db
    .updateTable("turn")
    .set({ state, finished_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("id", "=", id)
    .where("state", "=", "open")
    .execute();
}

/** Whoever is still at it goes on having the turn. */
export async function renewLease(
  db: Database,
  { agentId, conversationId, id }: Turn,
  owner: string,
  leaseMs: number,
): Promise<void> {
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
