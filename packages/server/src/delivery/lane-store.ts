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
}

/** What a drain may send, under the fence that its outcomes must carry. */
export interface Claim {
  fence: number;
  doneSeq: number;
  /** Undefined when the webhook or its agent was deleted. */
  destination: DestinationRow | undefined;
  deliveries: PendingDelivery[];
}

export type ClaimResult =
  | { kind: "claimed"; claim: Claim }
  | { kind: "early"; byMs: number }
  | { kind: "nothing" };

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
      returning fence, done_seq, pending_since, destination_id
    )
    select c.fence, c.done_seq, c.pending_since - interval '1 hour' as pending_since,
      now() + interval '1 minute' as pending_until,
      w.id, w.agent_id, w.url, w.username_sealed, w.secret_sealed, w.signing_secret_sealed,
      w.previous_signing_secret_sealed, w.previous_signing_secret_until, w.strict_acknowledgement
    from claimed c
    left join webhook w on w.id = c.destination_id and w.agent_id = ${agentId} and w.deleted_at is null
      and exists (select from agent a where a.id = w.agent_id and a.deleted_at is null)`.execute(db);
  const row = rows[0];
  if (row === undefined) return whyNotClaimed(db, agentId, laneId);
  return {
    kind: "claimed",
    claim: {
      fence: row.fence,
      doneSeq: row.done_seq,
      destination: row.id === null ? undefined : { ...row, id: row.id },
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
  const always = { ...row, pending_since: new Date(0), pending_until: new Date(FAR_FUTURE_MS) };
  return withoutGap(await readPending(db, agentId, laneId, always, most));
}

/** A statement of its own: with the time as a value the planner opens the partitions that can hold these rows, and no other. */
async function readPending(
  db: Database,
  agentId: string,
  laneId: string,
  { done_seq, pending_since, pending_until }: ClaimRow,
  most: number,
): Promise<PendingDelivery[]> {
  return db
    .selectFrom("delivery")
    .select(["id", "seq", "created_at as createdAt", "event", "sender", "body", "attempts"])
    .where("agent_id", "=", agentId)
    .where("lane_id", "=", laneId)
    .where("seq", ">", done_seq)
    .where("created_at", ">=", pending_since)
    .where("created_at", "<=", pending_until)
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

type ClaimRow = Omit<DestinationRow, "id"> & {
  id: string | null;
  fence: number;
  done_seq: number;
  pending_since: Date;
  pending_until: Date;
};

/** How one attempt ended, as it is written down. */
export interface Settlement {
  agentId: string;
  laneId: string;
  fence: number;
  seq: number;
  deliveryId: string;
  createdAt: Date;
  /** What becomes of the delivery; a pending one is due again after `retryInMs`. */
  state: "pending" | "delivered" | "dead";
  retryInMs: number;
  attempt: {
    id: string;
    number: number;
    durationMs: number;
    cause: string | undefined;
    httpStatus: number | undefined;
  };
}

export type Settled = { held: true; tailSeq: number } | { held: false };

/**
 * Writes the outcomes of one agent's lanes, at most one a lane, in one statement. An outcome counts only under the
 * fence it was read with. A lane goes idle by comparing tail_seq on its own row, which every accept updates: asking
 * whether pending rows exist would lose a message that commits in between.
 */
export async function settle(db: Database, agentId: string, settlements: Settlement[]): Promise<Settled[]> {
  const sorted = settlements.toSorted((a, b) => (a.laneId < b.laneId ? -1 : 1));
  const column = <Value>(read: (settlement: Settlement) => Value) => sorted.map(read);
  const times = sorted.map(({ createdAt }) => createdAt.getTime());
  const { rows } = await sql<{ id: string; fence: number; tail_seq: number }>`
    with settlement as (
      select * from unnest(
        ${column((s) => s.laneId)}::uuid[], ${column((s) => s.fence)}::bigint[], ${column((s) => s.seq)}::bigint[],
        ${column((s) => s.deliveryId)}::uuid[], ${column((s) => s.createdAt)}::timestamptz[],
        ${column((s) => s.state)}::text[], ${column((s) => s.retryInMs)}::integer[],
        ${column((s) => s.attempt.id)}::uuid[], ${column((s) => s.attempt.number)}::integer[],
        ${column((s) => s.attempt.durationMs)}::integer[], ${column((s) => s.attempt.cause ?? null)}::text[],
        ${column((s) => s.attempt.httpStatus ?? null)}::integer[]
      ) as s(lane_id, fence, seq, delivery_id, created_at, state, retry_in_ms,
        attempt_id, number, duration_ms, cause, http_status)
    ),
    lane_settled as (
      update lane l set
        done_seq = case s.state when 'pending' then l.done_seq else s.seq end,
        pending_since = s.created_at,
        due_at = now() + s.retry_in_ms * interval '1 millisecond',
        beat_at = now(),
        state = case when s.state <> 'pending' and l.tail_seq = s.seq then 'idle' else 'awake' end
      from settlement s
      where l.agent_id = ${agentId} and l.id = s.lane_id and l.fence = s.fence and l.state = 'awake'
      returning l.id, l.fence, l.tail_seq
    ),
    delivery_settled as (
      update delivery d set
        state = s.state, attempts = s.number,
        finished_at = case s.state when 'pending' then null else now() end
      from settlement s join lane_settled on lane_settled.id = s.lane_id and lane_settled.fence = s.fence
      where d.agent_id = ${agentId} and d.lane_id = s.lane_id and d.seq = s.seq and d.created_at = s.created_at
        and d.created_at between ${new Date(Math.min(...times))} and ${new Date(Math.max(...times) + 1)}
        and d.state = 'pending'
    ),
    attempt_logged as (
      insert into attempt (agent_id, delivery_id, number, id, started_at, duration_ms, cause, http_status)
      select ${agentId}::uuid, delivery_id, number, attempt_id, now() - duration_ms * interval '1 millisecond',
        duration_ms, cause, http_status
      from settlement
    )
    select id, fence, tail_seq from lane_settled`.execute(db);
  // Lane and fence: an overtaken drain of a lane may settle in the same statement as the one that overtook it.
  const held = new Map(rows.map((row) => [`${row.id} ${row.fence}`, row.tail_seq]));
  return settlements.map(({ laneId, fence }) => {
    const tailSeq = held.get(`${laneId} ${fence}`);
    return tailSeq === undefined ? { held: false } : { held: true, tailSeq };
  });
}
