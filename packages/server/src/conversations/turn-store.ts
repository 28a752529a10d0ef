import { sql } from "kysely";
import { enqueueWith, laneIdOf } from "../delivery/index.ts";
import { newId, type Database } from "../platform/index.ts";

/** One turn of the agent: the user's message it answers and the epoch it may answer in. */
export interface Turn {
  id: string;
  seq: number;
  epoch: number;
  question: string;
  userId: string | null;
  anonymousId: string | null;
  /** Where the reply goes; undefined when the message webhook was removed meanwhile. */
  destinationId: string | undefined;
}

export type BeginResult = { kind: "begun"; turn: Turn } | { kind: "nothing_due" } | { kind: "taken" };

interface BegunRow {
  seq: number;
  epoch: number;
  question: string;
  user_id: string | null;
  anonymous_id: string | null;
  destination_id: string | null;
  turn_id: string | null;
}

/**
 * Opens the turn for the oldest unanswered message. One turn is open at a time; one whose lease ran out is taken over,
 * its owner having died or lost its way.
 */
export async function beginTurn(
  db: Database,
  agentId: string,
  conversationId: string,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<BeginResult> {
  const turnId = newId();
  const { rows } = await sql<BegunRow>`
    with due as (
      update conversation set turn_beat_at = now()
      where agent_id = ${agentId} and id = ${conversationId} and turn_awake and control = 'bot'
      returning turn_done_seq, epoch, user_id, anonymous_id
    ),
    next as (
      select m.seq, m.text as question, due.epoch, due.user_id, due.anonymous_id
      from due join lateral (
        select seq, text from message
        where agent_id = ${agentId} and conversation_id = ${conversationId} and seq > due.turn_done_seq and sender = 'user'
        order by seq limit 1
      ) m on true
    ),
    opened as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until)
      select ${agentId}::uuid, ${conversationId}::uuid, ${turnId}::uuid, seq, seq, epoch, ${owner},
        now() + ${leaseMs} * interval '1 millisecond'
      from next
      on conflict (agent_id, conversation_id) where state = 'open' do update set
        first_seq = excluded.first_seq, last_seq = excluded.last_seq, epoch = excluded.epoch,
        owner = excluded.owner, lease_until = excluded.lease_until, started_at = now()
      where turn.owner = excluded.owner or turn.lease_until < now()
      returning id
    )
    select next.*, (select id from opened) as turn_id,
      (select id from webhook where agent_id = ${agentId} and kind = 'message' and deleted_at is null) as destination_id
    from next`.execute(db);
  const row = rows[0];
  if (row === undefined) return { kind: "nothing_due" };
  if (row.turn_id === null) return { kind: "taken" };
  return {
    kind: "begun",
    turn: {
      id: row.turn_id,
      seq: row.seq,
      epoch: row.epoch,
      question: row.question,
      userId: row.user_id,
      anonymousId: row.anonymous_id,
      destinationId: row.destination_id ?? undefined,
    },
  };
}

export interface Reply {
  messageId: string;
  text: string;
  /** The bytes of 2.5. */
  body: Buffer;
}

export type CommitResult =
  | { kind: "committed"; moreDue: boolean; wokenLaneId: string | undefined }
  | { kind: "superseded" };

/**
 * The accept transaction of a reply, in one statement: message, delivery and the lane's wake bit commit together, under
 * the conversation's row lock, and only in the epoch the turn began in and when nobody has answered yet.
 */
export async function commitReply(
  db: Database,
  agentId: string,
  conversationId: string,
  turn: Turn,
  { messageId, text, body }: Reply,
): Promise<CommitResult> {
  const { destinationId } = turn;
  const outbox =
    destinationId === undefined
      ? sql`lane_raised as (select null::uuid as id, false as woke where false)`
      : enqueueWith(sql`raised`, {
          agentId,
          destinationId,
          conversationId,
          event: "message",
          sender: "ai",
          body,
        });
  const { rows } = await sql<{ more_due: boolean; woke: boolean | null }>`
    with raised as (
      update conversation c set
        last_seq = c.last_seq + 1,
        turn_done_seq = ${turn.seq},
        turn_awake = c.turn_due_seq > ${turn.seq},
        turn_beat_at = now()
      where c.agent_id = ${agentId} and c.id = ${conversationId} and c.epoch = ${turn.epoch} and c.control = 'bot'
        and c.turn_done_seq < ${turn.seq}
      returning c.last_seq, c.turn_awake
    ),
    turn_answered as (
      update turn set state = 'answered', finished_at = now() from raised
      where agent_id = ${agentId} and conversation_id = ${conversationId} and id = ${turn.id} and state = 'open'
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text)
      select ${agentId}::uuid, ${conversationId}::uuid, last_seq, ${messageId}::uuid, 'ai', ${text} from raised
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

/** Closes a turn whose reply is not wanted any more; the message it was for stays due. */
export async function closeTurn(
  db: Database,
  agentId: string,
  conversationId: string,
  turn: Turn,
  state: "superseded" | "abandoned",
): Promise<void> {
  await db
    .updateTable("turn")
    .set({ state, finished_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("id", "=", turn.id)
    .where("state", "=", "open")
    .execute();
}

/** The agent is gone: nothing in this conversation is due any more. */
export async function abandonTurns(db: Database, agentId: string, conversationId: string): Promise<void> {
  await db
    .updateTable("conversation")
    .set({ turn_awake: false, turn_done_seq: sql`turn_due_seq` })
    .where("agent_id", "=", agentId)
    .where("id", "=", conversationId)
    .execute();
}
