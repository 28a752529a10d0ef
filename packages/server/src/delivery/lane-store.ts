import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { DestinationRow } from "../webhooks/index.ts";

export interface PendingDelivery {
  id: string;
  seq: number;
  createdAt: Date;
  event: string;
  sender: string;
  body: Buffer;
  attempts: number;
  replayOf: string | null;
  replaySeq: number | null;
}

export type Breaker = "closed" | "open" | "disabled";

/** What a drain may send, under the fence that its outcomes must carry. */
export interface Claim {
  /** By the clock of the database, which alone counts: that of a worker may be minutes off. */
  now: () => Date;
  fence: number;
  doneSeq: number;
  conversationId: string;
  destinationId: string;
  /** Undefined when the webhook or its agent was deleted. */
  destination: DestinationRow | undefined;
  breaker: Breaker;
  /** This lane's next message is its destination's try. */
  trying: boolean;
  /** How long the message at the head has held up the lane. */
  blockedForMs: number;
  deliveries: PendingDelivery[];
}

export type ClaimResult =
  | { kind: "claimed"; claim: Claim }
  | { kind: "early"; byMs: number }
  | { kind: "nothing" };

type ClaimRow = Omit<DestinationRow, "id"> & {
  id: string | null;
  fence: number;
  done_seq: number;
  conversation_id: string;
  destination_id: string;
  breaker: Breaker;
  trying: boolean;
  blocked_for_ms: number;
  pending_since: Date;
  claimed_at: Date;
};

/**
 * A message is stamped with the begin of its transaction, which may have waited for its conversation: it can be stamped
 * earlier than the one before it, and later than a claim that sees it.
 */
const COMMIT_LAG_MS = 60_000;

/**
 * Raises the fence, so that whoever held the lane before can no longer settle anything, and reads its head. An accept
 * that began before the one that woke the lane has the older created_at, hence the hour.
 */
export async function claimLane(
  db: Database,
  agentId: string,
  laneId: string,
  most: number,
): Promise<ClaimResult> {
  const { rows } = await sql<ClaimRow>`
    with claimed as (
      update lane set fence = fence + 1, beat_at = now()
      where agent_id = ${agentId} and id = ${laneId} and state = 'awake' and due_at <= now()
      returning fence, done_seq, pending_since, destination_id, conversation_id, trying, blocked_since
    )
    select c.fence, c.done_seq, c.destination_id, c.conversation_id, c.trying,
      c.pending_since - interval '1 hour' as pending_since,
      now() as claimed_at,
      coalesce(extract(epoch from now() - c.blocked_since) * 1000, 0)::integer as blocked_for_ms,
      coalesce(d.breaker, 'closed') as breaker,
      w.id, w.agent_id, w.url, w.username_sealed, w.secret_sealed, w.signing_secret_sealed,
      w.previous_signing_secret_sealed, w.previous_signing_secret_until, w.strict_acknowledgement
    from claimed c
    left join webhook w on w.id = c.destination_id and w.agent_id = ${agentId} and w.deleted_at is null
      and exists (select from agent a where a.id = w.agent_id and a.deleted_at is null)
    left join destination d on d.id = w.id and d.url = w.url`.execute(db);
  const row = rows[0];
  if (row === undefined) return whyNotClaimed(db, agentId, laneId);
  const claimedAt = performance.now();
  return {
    kind: "claimed",
    claim: {
      now: () => new Date(row.claimed_at.getTime() + performance.now() - claimedAt),
      fence: row.fence,
      doneSeq: row.done_seq,
      conversationId: row.conversation_id,
      destinationId: row.destination_id,
      destination: row.id === null ? undefined : { ...row, id: row.id },
      breaker: row.breaker,
      trying: row.trying,
      blockedForMs: row.blocked_for_ms,
      deliveries: await readHead(db, agentId, laneId, row, most),
    },
  };
}

const FAR_FUTURE_MS = Date.UTC(2200, 0);

/**
 * Nothing behind a gap is given out: a message from before the database clock was set back lies outside the times that
 * are read, and those behind it would overtake it. A head outside those times is read without them.
 */
async function readHead(
  db: Database,
  agentId: string,
  laneId: string,
  row: ClaimRow,
  most: number,
): Promise<PendingDelivery[]> {
  const withoutGap = (read: PendingDelivery[]) => {
    const gap = read.findIndex(({ seq }, index) => seq !== row.done_seq + 1 + index);
    return gap === -1 ? read : read.slice(0, gap);
  };
  const head = withoutGap(await readPending(db, agentId, laneId, row, most));
  if (head.length > 0) return head;
  const always = { ...row, pending_since: new Date(0), claimed_at: new Date(FAR_FUTURE_MS) };
  return withoutGap(await readPending(db, agentId, laneId, always, most));
}

/** A statement of its own: with the time as a value the planner opens the partitions that can hold these rows, and no other. */
async function readPending(
  db: Database,
  agentId: string,
  laneId: string,
  { done_seq, pending_since, claimed_at }: ClaimRow,
  most: number,
): Promise<PendingDelivery[]> {
  return db
    .selectFrom("delivery")
    .select(["id", "seq", "created_at as createdAt", "event", "sender", "body", "attempts"])
    .select(["replay_of as replayOf", "replay_seq as replaySeq"])
    .where("agent_id", "=", agentId)
    .where("lane_id", "=", laneId)
    .where("seq", ">", done_seq)
    .where("created_at", ">=", new Date(pending_since.getTime() - COMMIT_LAG_MS))
    .where("created_at", "<=", new Date(claimed_at.getTime() + COMMIT_LAG_MS))
    .orderBy("seq")
    .limit(most)
    .execute();
}

async function whyNotClaimed(db: Database, agentId: string, laneId: string): Promise<ClaimResult> {
  const { rows } = await sql<{ early_ms: number }>`
    select ceil(extract(epoch from due_at - now()) * 1000)::integer as early_ms from lane
    where agent_id = ${agentId} and id = ${laneId} and state = 'awake' and due_at > now()`.execute(db);
  const byMs = rows[0]?.early_ms;
  return byMs === undefined ? { kind: "nothing" } : { kind: "early", byMs };
}

/**
 * Lets a lane wait in PostgreSQL, where it costs nothing, because its destination is sick. The destination's row is locked
 * and looked at again: a breaker that closes meanwhile either finds this lane parked, and wakes it, or is seen here.
 */
export async function parkIfSick(
  db: Database,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with sick as (
      select d.id from destination d join webhook w on w.id = d.id and w.url = d.url
      where d.id = ${claim.destinationId} and d.breaker <> 'closed' for share of d
    )
    update lane l set state = 'parked', parked_at = now(), trying = false, blocked_since = null
    from sick
    where l.agent_id = ${agentId} and l.id = ${laneId} and l.fence = ${claim.fence} and l.state = 'awake'
    returning l.id`.execute(db);
  return rows.length > 0;
}

/** Lets a lane wait because there is no room on this worker; whoever leaves wakes it, or else the reconciler. */
export async function parkForRoom(
  db: Database,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<void> {
  await db
    .updateTable("lane")
    .set({ state: "parked", parked_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "=", laneId)
    .where("fence", "=", claim.fence)
    .where("state", "=", "awake")
    .execute();
}

/** Parked lanes of a destination that have waited longest, woken and returned. Materialized: a join could ask for more than once. */
export async function wakeParked(
  db: Database,
  agentId: string,
  destinationId: string,
  most: number,
  as: "trying" | "recovered",
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with longest as materialized (
      select id from lane
      where agent_id = ${agentId} and destination_id = ${destinationId} and state = 'parked'
      order by parked_at limit ${most} for update skip locked
    )
    update lane l set state = 'awake', trying = ${as === "trying"}, due_at = now(), beat_at = now(), awake_since = now()
    from longest
    where l.agent_id = ${agentId} and l.id = longest.id and l.state = 'parked'
    returning l.id`.execute(db);
  return rows.map(({ id }) => id);
}
