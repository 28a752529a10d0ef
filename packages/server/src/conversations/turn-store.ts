import { sql } from "kysely";
import { enqueueWith, laneIdOf } from "../delivery/index.ts";
import { newId, type Database } from "../platform/index.ts";

export interface DueMessage {
  seq: number;
  text: string;
}

/** One turn of the agent: the user's messages it answers, one reply each, and the epoch it may answer in. */
export interface Turn {
  id: string;
  agentId: string;
  conversationId: string;
  epoch: number;
  due: DueMessage[];
  userId: string | null;
  anonymousId: string | null;
  /** Where replies go; undefined when the message webhook was removed meanwhile. */
  destinationId: string | undefined;
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

export interface TurnClaim {
  owner: string;
  leaseMs: number;
  most: number;
}

interface BegunRow {
  epoch: number;
  user_id: string | null;
  anonymous_id: string | null;
  destination_id: string | null;
  no_answers: number;
  quiet_seq: number;
  is_quiet: boolean;
  awaits_address: boolean;
  due: DueMessage[];
  turn_id: string | null;
}

/**
 * Opens the turn for the oldest unanswered messages. One turn is open at a time; one whose lease ran out is taken over,
 * its owner having died or lost its way.
 */
export async function beginTurn(
  db: Database,
  agentId: string,
  conversationId: string,
  { owner, leaseMs, most }: TurnClaim,
): Promise<BeginResult> {
  const { rows } = await sql<BegunRow>`
    with awake as (
      update conversation set turn_beat_at = now()
      where agent_id = ${agentId} and id = ${conversationId} and turn_awake and control = 'bot'
      returning turn_done_seq, epoch, user_id, anonymous_id, no_answers, handoff_quiet_seq as quiet_seq,
        coalesce(handoff_quiet_until > now(), false) as is_quiet, away_component_id is not null as awaits_address
    ),
    due as (
      select m.seq, m.text from awake, lateral (
        select seq, text from message
        where agent_id = ${agentId} and conversation_id = ${conversationId} and seq > awake.turn_done_seq and sender = 'user'
        order by seq limit ${most}
      ) m
    ),
    opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, ${conversationId}::uuid, ${newId()}::uuid, range.first_seq, range.last_seq, awake.epoch, ${owner},
        now() + ${leaseMs} * interval '1 millisecond'
      from awake, (select min(seq) as first_seq, max(seq) as last_seq from due) range
      where range.first_seq is not null
      on conflict (agent_id, conversation_id) where state = 'open' do update set
        first_seq = excluded.first_seq, last_seq = excluded.last_seq, epoch = excluded.epoch,
        owner = excluded.owner, lease_until = excluded.lease_until, started_at = now()
      where turn.owner = excluded.owner or turn.lease_until < now()
      returning id
    )
    select awake.epoch, awake.user_id, awake.anonymous_id, awake.no_answers, awake.quiet_seq, awake.is_quiet,
      awake.awaits_address, (select id from opened) as turn_id,
      (select id from webhook where agent_id = ${agentId} and kind = 'message' and deleted_at is null) as destination_id,
      (select coalesce(json_agg(json_build_object('seq', seq, 'text', text) order by seq), '[]') from due) as due
    from awake`.execute(db);
  const row = rows[0];
  if (row === undefined || row.due.length === 0) return { kind: "nothing_due" };
  if (row.turn_id === null) return { kind: "taken" };
  return {
    kind: "begun",
    turn: {
      id: row.turn_id,
      agentId,
      conversationId,
      epoch: row.epoch,
      due: row.due,
      userId: row.user_id,
      anonymousId: row.anonymous_id,
      destinationId: row.destination_id ?? undefined,
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
  text: string;
  /** The bytes of 2.5. */
  body: Buffer;
  /** Questions in a row that had no answer, this one included. */
  noAnswers: number;
}

export type CommitResult =
  | { kind: "committed"; moreDue: boolean; wokenLaneId: string | undefined }
  | { kind: "superseded" };

/**
 * The accept transaction of replies, in one statement: messages, deliveries and the lane's wake bit commit together,
 * under the conversation's row lock, and only in the epoch the turn began in and when nobody has answered yet.
 */
export async function commitReplies(db: Database, turn: Turn, replies: Reply[]): Promise<CommitResult> {
  const { agentId, conversationId, destinationId } = turn;
  const first = replies[0];
  const last = replies.at(-1);
  if (first === undefined || last === undefined) throw new Error("a commit without replies");
  const outbox =
    destinationId === undefined
      ? sql`lane_raised as (select false as woke where false)`
      : enqueueWith(sql`raised`, {
          agentId,
          destinationId,
          conversationId,
          event: "message",
          sender: "ai",
          bodies: replies.map(({ body }) => body),
        });
  const { rows } = await sql<{ more_due: boolean; woke: boolean | null }>`
    with raised as (
      update conversation c set
        last_seq = c.last_seq + ${replies.length},
        turn_done_seq = ${last.toSeq},
        no_answers = ${last.noAnswers},
        turn_awake = c.turn_due_seq > ${last.toSeq},
        turn_beat_at = now()
      where c.agent_id = ${agentId} and c.id = ${conversationId} and c.epoch = ${turn.epoch} and c.control = 'bot'
        and c.turn_done_seq < ${first.toSeq}
      returning c.last_seq - ${replies.length} as before_seq, c.turn_awake
    ),
    turn_answered as (
      update turn set state = 'answered', finished_at = now() from raised
      where agent_id = ${agentId} and conversation_id = ${conversationId} and id = ${turn.id} and state = 'open'
        and last_seq = ${last.toSeq}
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text)
      select ${agentId}::uuid, ${conversationId}::uuid, raised.before_seq + item.position, item.id, 'ai', item.text
      from raised, unnest(${replies.map(({ messageId }) => messageId)}::uuid[], ${replies.map(({ text }) => text)}::text[])
        with ordinality as item(id, text, position)
    ),
    ${outbox}
    select raised.turn_awake as more_due, (select woke from lane_raised) as woke from raised`.execute(db);
  const row = rows[0];
  if (row === undefined) return { kind: "superseded" };
  const woken = row.woke === true && destinationId !== undefined;
  return {
    kind: "committed",
    moreDue: row.more_due,
    wokenLaneId: woken ? laneIdOf(destinationId, conversationId) : undefined,
  };
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

/** The agent is gone: nothing in this conversation is due any more. */
export async function abandonTurns(db: Database, { agentId, conversationId }: Turn): Promise<void> {
  await db
    .updateTable("conversation")
    .set({ turn_awake: false, turn_done_seq: sql`turn_due_seq` })
    .where("agent_id", "=", agentId)
    .where("id", "=", conversationId)
    .execute();
}
