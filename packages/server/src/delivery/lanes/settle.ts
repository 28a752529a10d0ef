import type { Cause } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { Proof } from "../../webhooks/index.ts";
import { HOLD_END } from "../outbox/lane-hold.ts";

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
  cause: Cause | undefined;
  retryInMs: number;
  attempt: AttemptRecord;
}

export interface AttemptRecord {
  id: string;
  number: number;
  durationMs: number;
  cause: Cause | undefined;
  httpStatus: number | undefined;
  url: string | undefined;
  proof: Proof | undefined;
  responseBody: Buffer | undefined;
  /** W3C trace context that was sent along. */
  traceparent?: string | undefined;
}

export type Settled = { held: true; tailSeq: number } | { held: false };

/**
 * Writes the outcomes of one agent's lanes in one statement. An outcome counts only under the fence it was read with; of
 * two of one lane the younger fence alone can. A lane goes idle by comparing tail_seq on its own row, which every accept
 * updates: asking whether pending rows exist would lose a message that commits in between. Of a lane that was erased meanwhile
 * nothing is logged, and of an outcome that does not count no reply is kept: its delivery may have been erased.
 */
export async function settle(db: Database, agentId: string, settlements: Settlement[]): Promise<Settled[]> {
  const sorted = settlements.toSorted((a, b) =>
    a.laneId === b.laneId ? b.fence - a.fence : a.laneId < b.laneId ? -1 : 1,
  );
  const column = <Value>(read: (settlement: Settlement) => Value) => sorted.map(read);
  const times = sorted.map(({ createdAt }) => createdAt.getTime());
  const laneIds = column((s) => s.laneId);
  // One row of arrays and no join: a plan is made once, for batches of any size, and must not scan one side for each of the other.
  const { rows } = await sql<{ place: number; tail_seq: number }>`
    with settlement as (
      select ${laneIds}::uuid[] as lane_id, ${column((s) => s.fence)}::bigint[] as fence, ${column((s) => s.seq)}::bigint[] as seq,
        ${column((s) => s.deliveryId)}::uuid[] as delivery_id, ${column((s) => s.createdAt)}::timestamptz[] as created_at,
        ${column((s) => s.state)}::text[] as state, ${column((s) => s.cause ?? null)}::text[] as cause,
        ${column((s) => s.retryInMs)}::integer[] as retry_in_ms, 
        ${column((s) => s.attempt.number)}::integer[] as number
    ),
    locked as (
      select id, orphaned_at is null as keeps_replies from lane
      where agent_id = ${agentId} and id = any(${laneIds}::uuid[]) order by id for update
    ),
    lane_settled as (
      update lane l set
        done_seq = case s.state[array_position(s.lane_id, l.id)] when 'pending' then l.done_seq else s.seq[array_position(s.lane_id, l.id)] end,
        pending_since = s.created_at[array_position(s.lane_id, l.id)],
        due_at = now() + s.retry_in_ms[array_position(s.lane_id, l.id)] * interval '1 millisecond',
        beat_at = now(),
        held_until = case
          when s.state[array_position(s.lane_id, l.id)] <> 'pending' and l.tail_seq > s.seq[array_position(s.lane_id, l.id)]
          then ${HOLD_END} end,
        trying = false,
        blocked_since = case s.state[array_position(s.lane_id, l.id)] when 'pending' then coalesce(l.blocked_since, now()) end,
        state = case
          when s.state[array_position(s.lane_id, l.id)] = 'pending' or l.tail_seq > s.seq[array_position(s.lane_id, l.id)] then 'awake'
          else 'idle' end
      from settlement s
      where l.agent_id = ${agentId} and l.id = any(array(select id from locked)) and l.state = 'awake'
        and l.fence = s.fence[array_position(s.lane_id, l.id)]
      returning l.id, array_position(s.lane_id, l.id) as place, l.tail_seq
    ),
    delivery_settled as (
      update delivery d set
        state = s.state[array_position(s.delivery_id, d.id)],
        cause = s.cause[array_position(s.delivery_id, d.id)],
        attempts = s.number[array_position(s.delivery_id, d.id)],
        finished_at = case s.state[array_position(s.delivery_id, d.id)] when 'pending' then null else now() end
      from settlement s
      where d.id = any(array(select settlement.delivery_id[place] from settlement, lane_settled))
        and d.agent_id = ${agentId} and d.state = 'pending'
        and d.created_at between ${new Date(Math.min(...times))} and ${new Date(Math.max(...times))}
    ),
    attempt_logged as (
      insert into attempt (agent_id, delivery_id, number, id, started_at, duration_ms, cause, http_status, url, response_body,
        webhook_timestamp, webhook_signature, authorization_scheme, traceparent)
      select ${agentId}::uuid, delivery_id, number, attempt_id, now() - duration_ms * interval '1 millisecond',
        duration_ms, cause, http_status, url,
        case when lane_id = any(array(select id from locked where keeps_replies)) and lane_id = any(array(select id from lane_settled))
          then response_body end,
        webhook_timestamp, webhook_signature, authorization_scheme, traceparent
      from unnest(
        ${laneIds}::uuid[], ${column((s) => s.deliveryId)}::uuid[], ${column((s) => s.attempt.number)}::integer[], ${column((s) => s.attempt.id)}::uuid[],
        ${column((s) => s.attempt.durationMs)}::integer[], ${column((s) => s.attempt.cause ?? null)}::text[],
        ${column((s) => s.attempt.httpStatus ?? null)}::integer[], ${column((s) => s.attempt.url ?? null)}::text[],
        ${column((s) => s.attempt.responseBody ?? null)}::bytea[],
        ${column((s) => s.attempt.proof?.timestamp ?? null)}::bigint[], ${column((s) => s.attempt.proof?.signature ?? null)}::text[],
        ${column((s) => s.attempt.proof?.authorizationScheme ?? null)}::text[],
        ${column((s) => s.attempt.traceparent ?? null)}::text[]
      ) as made(lane_id, delivery_id, number, attempt_id, duration_ms, cause, http_status, url, response_body,
        webhook_timestamp, webhook_signature, authorization_scheme, traceparent)
      where lane_id = any(array(select id from locked))
    )
    select place, tail_seq from lane_settled`.execute(db);
  const held = new Map(rows.map((row) => [sorted[row.place - 1], row.tail_seq]));
  return settlements.map((settlement) => {
    const tailSeq = held.get(settlement);
    return tailSeq === undefined ? { held: false } : { held: true, tailSeq };
  });
}

/** What waits behind a message that was given up is given up with it, for the same cause. The caller holds the lane's lock. */
export async function giveUpRest(db: Database, { agentId, laneId, cause }: Settlement): Promise<void> {
  await sql`
    with rest as (
      update lane set done_seq = tail_seq, state = 'idle', held_until = null
      from (select done_seq from lane where agent_id = ${agentId} and id = ${laneId}) before
      where agent_id = ${agentId} and id = ${laneId} and lane.done_seq < tail_seq
      returning before.done_seq, tail_seq
    )
    update delivery d set state = 'dead', cause = ${cause ?? null}, finished_at = now() from rest
    where d.agent_id = ${agentId} and d.lane_id = ${laneId} and d.seq > rest.done_seq and d.seq <= rest.tail_seq
      and d.state = 'pending'`.execute(db);
}
