import type { Cause } from "@signalbox/contract";
import { sql } from "kysely";
import { forUpdate, LOCKED, type Database, type LockedRows, type Timings } from "../../platform/index.ts";
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
  timings?: Timings | undefined;
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
 * Writes the outcomes of lanes of any agents in one statement, each row by its key. An outcome counts only under the fence it was
 * read with. A lane goes idle by comparing tail_seq on its own row, which every accept updates: asking whether pending rows exist
 * would lose a message that commits in between. Nothing is logged of a lane that was erased meanwhile, and no reply is kept
 * of an outcome that does not count: its delivery may have been erased.
 */
export function settle(db: Database, settlements: Settlement[]): Promise<Settled[]>;
export function settle(
  db: Database,
  settlements: Settlement[],
  lockedRows: LockedRows,
): Promise<(Settled | typeof LOCKED)[]>;
export async function settle(
  db: Database,
  settlements: Settlement[],
  lockedRows: LockedRows = "wait",
): Promise<(Settled | typeof LOCKED)[]> {
  // Rule 9: lanes of all agents are locked in the order of their ids.
  const sorted = settlements.toSorted((a, b) => (a.laneId < b.laneId ? -1 : 1));
  const column = <Value>(read: (settlement: Settlement) => Value) => sorted.map(read);
  // Rows are locked by lateral look-ups and then written by `on conflict`: no join that could be planned as a scan (ADR 0032).
  const { rows } = await sql<{ place: number; is_held: boolean; tail_seq: number }>`
    with settlement as (
      select * from unnest(
        ${column((s) => s.agentId)}::uuid[], ${column((s) => s.laneId)}::uuid[], ${column((s) => s.fence)}::bigint[],
        ${column((s) => s.seq)}::bigint[], ${column((s) => s.deliveryId)}::uuid[], ${column((s) => s.createdAt)}::timestamptz[],
        ${column((s) => s.state)}::text[], ${column((s) => s.cause ?? null)}::text[], ${column((s) => s.retryInMs)}::integer[],
        ${column((s) => s.attempt.number)}::integer[], ${column((s) => s.attempt.id)}::uuid[],
        ${column((s) => s.attempt.durationMs)}::integer[], ${column((s) => s.attempt.cause ?? null)}::text[],
        ${column((s) => s.attempt.httpStatus ?? null)}::integer[], ${column((s) => s.attempt.url ?? null)}::text[],
        ${column((s) => s.attempt.responseBody ?? null)}::bytea[],
        ${column((s) => s.attempt.proof?.timestamp ?? null)}::bigint[], ${column((s) => s.attempt.proof?.signature ?? null)}::text[],
        ${column((s) => s.attempt.proof?.authorizationScheme ?? null)}::text[],
        ${column((s) => s.attempt.traceparent ?? null)}::text[],
        ${column((s) => wholeMs(s.attempt.timings?.dnsMs))}::integer[], ${column((s) => wholeMs(s.attempt.timings?.connectMs))}::integer[],
        ${column((s) => wholeMs(s.attempt.timings?.tlsMs))}::integer[], ${column((s) => wholeMs(s.attempt.timings?.firstByteMs))}::integer[]
      ) with ordinality as made(agent_id, lane_id, fence, seq, delivery_id, created_at, state, cause, retry_in_ms, number, attempt_id,
        duration_ms, attempt_cause, http_status, url, response_body, webhook_timestamp, webhook_signature, authorization_scheme,
        traceparent, dns_ms, connect_ms, tls_ms, first_byte_ms, place)
    ),
    locked as (
      select s.*, l.destination_id, l.conversation_id, l.tail_seq, l.done_seq, l.blocked_since, l.keeps_replies,
        l.state = 'awake' and l.fence = s.fence as is_held
      from settlement s, lateral (
        select destination_id, conversation_id, state, fence, tail_seq, done_seq, blocked_since, orphaned_at is null as keeps_replies
        from lane where agent_id = s.agent_id and id = s.lane_id ${forUpdate(lockedRows)}
      ) l
    ),
    lane_settled as (
      insert into lane (agent_id, id, destination_id, conversation_id, tail_seq, state, done_seq, pending_since, due_at, held_until,
        blocked_since)
      select agent_id, lane_id, destination_id, conversation_id, tail_seq,
        case when state = 'pending' or tail_seq > seq then 'awake' else 'idle' end,
        case state when 'pending' then done_seq else seq end, created_at, now() + retry_in_ms * interval '1 millisecond',
        case when state <> 'pending' and tail_seq > seq then ${HOLD_END} end,
        case state when 'pending' then coalesce(blocked_since, now()) end
      from locked where is_held
      on conflict (agent_id, id) do update set state = excluded.state, done_seq = excluded.done_seq,
        pending_since = excluded.pending_since, due_at = excluded.due_at, beat_at = now(), held_until = excluded.held_until,
        trying = false, blocked_since = excluded.blocked_since
    ),
    delivery_settled as (
      insert into delivery (agent_id, lane_id, seq, created_at, id, event, sender, body, state, cause, attempts, finished_at)
      select s.agent_id, s.lane_id, s.seq, s.created_at, s.delivery_id, d.event, d.sender, ''::bytea, s.state, s.cause, s.number,
        case s.state when 'pending' then null else now() end
      from locked s, lateral (
        select event, sender from delivery
        where agent_id = s.agent_id and lane_id = s.lane_id and seq = s.seq and created_at = s.created_at and id = s.delivery_id
          and state = 'pending'
        for update
      ) d
      where s.is_held
      on conflict (agent_id, lane_id, seq, created_at) do update set state = excluded.state, cause = excluded.cause,
        attempts = excluded.attempts, finished_at = excluded.finished_at
    ),
    attempt_logged as (
      insert into attempt (agent_id, delivery_id, number, id, started_at, duration_ms, cause, http_status, url, response_body,
        webhook_timestamp, webhook_signature, authorization_scheme, traceparent, dns_ms, connect_ms, tls_ms, first_byte_ms)
      select agent_id, delivery_id, number, attempt_id, now() - duration_ms * interval '1 millisecond', duration_ms, attempt_cause,
        http_status, url, case when keeps_replies and is_held then response_body end,
        webhook_timestamp, webhook_signature, authorization_scheme, traceparent, dns_ms, connect_ms, tls_ms, first_byte_ms
      from locked
    )
    select place, is_held, tail_seq from locked`.execute(db);
  const found = new Map(rows.map((row) => [sorted[row.place - 1], row]));
  return settlements.map((settlement) => {
    const row = found.get(settlement);
    if (row === undefined) return lockedRows === "skip" ? LOCKED : { held: false };
    return row.is_held ? { held: true, tailSeq: row.tail_seq } : { held: false };
  });
}

function wholeMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.max(0, Math.round(ms));
}

/** Deliveries behind a message that was given up are given up with it, for the same cause. The caller holds the lane's lock. */
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
