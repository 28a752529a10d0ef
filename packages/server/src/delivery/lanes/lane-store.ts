import type { DeliveryEvent } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import {
  clockFrom,
  createCommitAcrossAgents,
  forUpdate,
  LOCKED,
  type Database,
  type GroupCommit,
  type LockedRows,
  type Log,
} from "../../platform/index.ts";
import type { DestinationRow } from "../../webhooks/index.ts";
import type { Breaker } from "../destinations/destination-store.ts";
import { HOLD, HOLD_END } from "../outbox/lane-hold.ts";

export interface PendingDelivery {
  id: string;
  seq: number;
  createdAt: Date;
  event: DeliveryEvent;
  sender: string;
  body: Buffer;
  attempts: number;
  replayOf: string | null;
  replaySeq: number | null;
  /** The message it carries. */
  messageId: string | null;
  /** The user's message that the one it carries answers. */
  inReplyTo: string | null;
  /** W3C trace context that its attempts belong to. */
  traceparent: string | null;
}

/** What a drain may send, under the fence that its outcomes must carry. */
export interface Claim {
  /** By the clock of the database, which alone counts: that of a worker may be minutes off. */
  now: () => Date;
  fence: number;
  doneSeq: number;
  /** Since it was due. */
  lateMs: number;
  /** When it last had something to send again, or was woken for what it had. */
  awakeSince: Date;
  /** Nothing of it could go out before; undefined when it could at once. */
  notBefore: Date | undefined;
  conversationId: string;
  /** Whose calls these are; undefined in the lane of a conversation. */
  handoffId: string | undefined;
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
  /** It is not due yet, or another call holds it. */
  | { kind: "early"; byMs: number }
  | { kind: "nothing" };

/** A lane, and the call that wants to drain it. */
export interface LaneCall {
  agentId: string;
  laneId: string;
  callId: string;
}

export type LaneClaimer = GroupCommit<LaneCall, ClaimResult>;

/** Few enough to be sent before they are read again. */
const HEAD_MAX = 20;

/** Lanes of all agents that wake at the same moment share their statements. */
export function createLaneClaimer(db: Database, log: Log): LaneClaimer {
  return createCommitAcrossAgents({
    agentOf: ({ agentId }) => agentId,
    write: (lanes, lockedRows) => claimLanes(db, lanes, HEAD_MAX, lockedRows),
    // A lane is given to the same call again, under a higher fence.
    readBack: "repeatable",
    log,
  });
}

/** A lane's destination as it is now, for every row of a CTE that has its id. Each is looked up: a join could be planned as a scan. */
export function destinationOf(lane: RawBuilder<unknown>, agentId: string | RawBuilder<string>) {
  return {
    columns: sql`coalesce(d.breaker, 'closed') as breaker, w.id, w.agent_id, w.url, w.username_sealed, w.secret_sealed,
      w.signing_secret_sealed, w.previous_signing_secret_sealed, w.previous_signing_secret_until, w.strict_acknowledgement,
      w.asymmetric_key_sealed, w.previous_asymmetric_key_sealed, w.cloud_events,
      w.establish_timeout_ms, w.establish_tries, w.inbox_assignment`,
    joins: sql`left join lateral (
        select * from webhook
        where id = ${lane}.destination_id and agent_id = ${agentId} and deleted_at is null
          and exists (select from agent a where a.id = webhook.agent_id and a.deleted_at is null)
        limit 1
      ) w on true
      left join lateral (select breaker from destination where id = w.id and url = w.url limit 1) d on true`,
  };
}

export type ClaimRow = Omit<DestinationRow, "id"> & {
  lane_id: string;
  id: string | null;
  fence: number;
  done_seq: number;
  conversation_id: string;
  handoff_id: string | null;
  destination_id: string;
  breaker: Breaker;
  trying: boolean;
  late_ms: number;
  awake_since: Date;
  not_before: Date | null;
  blocked_for_ms: number;
  pending_since: Date;
  claimed_at: Date;
};

/** A lane that was asked for. `agent_id` is its destination's, and null where that is gone. */
type AskedRow = ClaimRow & { of_agent: string; is_claimed: boolean };

/**
 * A message is stamped with the begin of its transaction, which may have waited for its conversation: it can be stamped
 * earlier than the one before it, and later than a claim that sees it.
 */
const COMMIT_LAG_MS = 60_000;

/**
 * Another call holds it. A hold that ends later than any can was given before the database clock was set back, and does not
 * count. That end needs clock_timestamp(): a call that waited for the row has an older now() than its holder, and would
 * take a lane whose message is on its way.
 */
const IS_HELD = sql<boolean>`l.held_until > now() and l.held_until <= clock_timestamp() + ${HOLD}`;

/**
 * Raises the fences of lanes of any agents, so that earlier holders can no longer settle anything, and reads their heads,
 * in two statements for all of them. A lane that another call holds is not given; the first of two calls for one lane has
 * it. A call that is made again takes over at once what it holds. Time in which a lane was due and no call came, as in an
 * outage of ours, does not count as time in which its head was refused.
 */
export function claimLanes(db: Database, asked: LaneCall[], most: number): Promise<ClaimResult[]>;
export function claimLanes(
  db: Database,
  asked: LaneCall[],
  most: number,
  lockedRows: LockedRows,
): Promise<(ClaimResult | typeof LOCKED)[]>;
export async function claimLanes(
  db: Database,
  asked: LaneCall[],
  most: number,
  lockedRows: LockedRows = "wait",
): Promise<(ClaimResult | typeof LOCKED)[]> {
  // Rule 9: lanes of all agents are locked in the order of their ids.
  const sorted = [...new Map(asked.toReversed().map((call) => [call.laneId, call])).values()].toSorted(
    (a, b) => (a.laneId < b.laneId ? -1 : 1),
  );
  const destination = destinationOf(sql`c`, sql`c.agent_id`);
  // Rows are locked by lateral look-ups and then written by `on conflict`: no join that could be planned as a scan (ADR 0032).
  // An accept that began before the one that woke the lane has the older created_at, hence the hour.
  const { rows } = await sql<AskedRow>`
    with asked as (
      select * from unnest(
        ${sorted.map(({ agentId }) => agentId)}::uuid[], ${sorted.map(({ laneId }) => laneId)}::uuid[], ${sorted.map(({ callId }) => callId)}::uuid[]
      ) as a(agent_id, lane_id, call_id)
    ),
    locked as (
      select a.*, l.*, l.state = 'awake' and l.due_at <= now()
        and (l.held_until is null or l.held_by = a.call_id or not (${IS_HELD})) as is_claimed,
        case when l.blocked_since is not null then least(l.blocked_since + (now() - l.due_at), now()) end as blocked_from
      from asked a, lateral (
        select state, fence, tail_seq, done_seq, due_at, awake_since, not_before, pending_since, destination_id, conversation_id, handoff_id,
          trying, blocked_since, held_by, held_until
        from lane where agent_id = a.agent_id and id = a.lane_id ${forUpdate(lockedRows)}
      ) l
    ),
    claimed as (
      insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, fence, held_by, held_until, blocked_since)
      select agent_id, lane_id, destination_id, conversation_id, state, tail_seq, fence + 1, call_id, ${HOLD_END}, blocked_from
      from locked where is_claimed
      on conflict (agent_id, id) do update set fence = excluded.fence, beat_at = now(), held_by = excluded.held_by,
        held_until = excluded.held_until, blocked_since = excluded.blocked_since
    )
    select c.lane_id, c.is_claimed, c.agent_id as of_agent, c.fence + 1 as fence, c.done_seq, c.destination_id, c.conversation_id, c.handoff_id,
      c.trying, c.awake_since, c.not_before, c.pending_since - interval '1 hour' as pending_since,
      now() as claimed_at, (extract(epoch from now() - c.due_at) * 1000)::float as late_ms,
      coalesce(extract(epoch from now() - c.blocked_from) * 1000, 0)::integer as blocked_for_ms, ${destination.columns}
    from locked c ${destination.joins}`.execute(db);
  const claimedAt = performance.now();
  const heads = await readHeads(
    db,
    rows.filter(({ is_claimed }) => is_claimed),
    most,
  );
  const found = new Map(rows.map((row) => [row.lane_id, row]));
  return Promise.all(
    asked.map(async (call): Promise<ClaimResult | typeof LOCKED> => {
      const { agentId, laneId } = call;
      const row = found.get(laneId);
      if (row === undefined && lockedRows === "skip") return LOCKED;
      if (row?.is_claimed !== true || !sorted.includes(call)) return whyNotClaimed(db, agentId, laneId);
      return { kind: "claimed", claim: claimOf(row, claimedAt, heads.get(laneId) ?? []) };
    }),
  );
}

export function claimOf(row: ClaimRow, claimedAt: number, deliveries: PendingDelivery[]): Claim {
  return {
    now: clockFrom(row.claimed_at, claimedAt),
    fence: row.fence,
    doneSeq: row.done_seq,
    lateMs: row.late_ms,
    awakeSince: row.awake_since,
    notBefore: row.not_before ?? undefined,
    conversationId: row.conversation_id,
    handoffId: row.handoff_id ?? undefined,
    destinationId: row.destination_id,
    destination: row.id === null ? undefined : { ...row, id: row.id },
    breaker: row.breaker,
    trying: row.trying,
    blockedForMs: row.blocked_for_ms,
    deliveries,
  };
}

const FAR_FUTURE_MS = Date.UTC(2200, 0);

/**
 * Nothing behind a gap is given out: a message from before the database clock was set back lies outside the times that
 * are read, and those behind it would overtake it. A head outside those times is read without them.
 */
async function readHeads(
  db: Database,
  rows: AskedRow[],
  most: number,
): Promise<Map<string, PendingDelivery[]>> {
  const heads = await readPending(db, rows, most);
  const missing = rows.filter(({ lane_id }) => !heads.has(lane_id));
  if (missing.length === 0) return heads;
  const always = { pending_since: new Date(0), claimed_at: new Date(FAR_FUTURE_MS) };
  const found = await readPending(
    db,
    missing.map((row) => ({ ...row, ...always })),
    most,
  );
  return new Map([...heads, ...found]);
}

/** A statement of its own: with the times as values PostgreSQL opens the partitions that can hold these rows, and no other. */
async function readPending(
  db: Database,
  rows: AskedRow[],
  most: number,
): Promise<Map<string, PendingDelivery[]>> {
  const from = Math.min(...rows.map(({ pending_since }) => pending_since.getTime())) - COMMIT_LAG_MS;
  const to = Math.max(...rows.map(({ claimed_at }) => claimed_at.getTime())) + COMMIT_LAG_MS;
  const heads = new Map<string, PendingDelivery[]>();
  if (rows.length === 0) return heads;
  const { rows: read } = await sql<PendingDelivery & { laneId: string; doneSeq: number }>`
    select claimed.lane_id as "laneId", claimed.done_seq as "doneSeq", pending.*
    from unnest(${rows.map(({ of_agent }) => of_agent)}::uuid[], ${rows.map(({ lane_id }) => lane_id)}::uuid[], ${rows.map(({ done_seq }) => done_seq)}::bigint[])
      as claimed(agent_id, lane_id, done_seq),
    lateral (
      select id, seq, created_at as "createdAt", event, sender, body, attempts, replay_of as "replayOf", replay_seq as "replaySeq",
        message_id as "messageId", in_reply_to as "inReplyTo", traceparent
      from delivery
      where agent_id = claimed.agent_id and lane_id = claimed.lane_id and seq > claimed.done_seq and state = 'pending'
        and created_at between ${new Date(from)} and ${new Date(to)}
      order by seq limit ${most}
    ) pending
    order by pending.seq`.execute(db);
  for (const { laneId, doneSeq, ...delivery } of read) {
    const head = heads.get(laneId) ?? [];
    if (delivery.seq !== doneSeq + 1 + head.length) continue;
    head.push(delivery);
    heads.set(laneId, head);
  }
  return heads;
}

/** Whatever became of it meanwhile: a lane that is awake is looked at again, at once if its time has come since it was asked for. */
async function whyNotClaimed(db: Database, agentId: string, laneId: string): Promise<ClaimResult> {
  const { rows } = await sql<{ early_ms: number }>`
    select greatest(1, ceil(extract(epoch from
      greatest(due_at, case when ${IS_HELD} then held_until end) - now()) * 1000))::integer as early_ms
    from lane l
    where agent_id = ${agentId} and id = ${laneId} and state = 'awake'`.execute(db);
  const byMs = rows[0]?.early_ms;
  return byMs === undefined ? { kind: "nothing" } : { kind: "early", byMs };
}

/** The drain that still works goes on holding its lane. */
export function renewHold(db: Database, agentId: string, laneId: string, claim: Claim): Promise<void> {
  return setHold(db, agentId, laneId, claim, HOLD_END);
}

/** Lets others have a lane that its holder leaves with something to send. */
export function releaseLane(db: Database, agentId: string, laneId: string, claim: Claim): Promise<void> {
  return setHold(db, agentId, laneId, claim, null);
}

async function setHold(
  db: Database,
  agentId: string,
  laneId: string,
  { fence }: Claim,
  until: RawBuilder<Date> | null,
): Promise<void> {
  await db
    .updateTable("lane")
    .set({ held_until: until })
    .where("agent_id", "=", agentId)
    .where("id", "=", laneId)
    .where("fence", "=", fence)
    .where("state", "=", "awake")
    .execute();
}
