import type { Cause } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { Proof } from "../webhooks/index.ts";

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
        ${column((s) => s.state)}::text[], ${column((s) => s.cause ?? null)}::text[],
        ${column((s) => s.retryInMs)}::integer[],
        ${column((s) => s.attempt.id)}::uuid[], ${column((s) => s.attempt.number)}::integer[],
        ${column((s) => s.attempt.durationMs)}::integer[], ${column((s) => s.attempt.cause ?? null)}::text[],
        ${column((s) => s.attempt.httpStatus ?? null)}::integer[], ${column((s) => s.attempt.url ?? null)}::text[],
        ${column((s) => s.attempt.responseBody ?? null)}::bytea[],
        ${column((s) => s.attempt.proof?.timestamp ?? null)}::bigint[], ${column((s) => s.attempt.proof?.signature ?? null)}::text[],
        ${column((s) => s.attempt.proof?.authorizationScheme ?? null)}::text[]
      ) as s(lane_id, fence, seq, delivery_id, created_at, state, cause, retry_in_ms,
        attempt_id, number, duration_ms, attempt_cause, http_status, url, response_body,
        webhook_timestamp, webhook_signature, authorization_scheme)
    ),
    lane_settled as (
      update lane l set
        done_seq = case s.state when 'pending' then l.done_seq else s.seq end,
        pending_since = s.created_at,
        due_at = now() + s.retry_in_ms * interval '1 millisecond',
        beat_at = now(),
        trying = false,
        blocked_since = case when s.state <> 'pending' then null else coalesce(l.blocked_since, now()) end,
        state = case when s.state <> 'pending' and l.tail_seq = s.seq then 'idle' else 'awake' end
      from settlement s
      where l.agent_id = ${agentId} and l.id = s.lane_id and l.fence = s.fence and l.state = 'awake'
      returning l.id, l.fence, l.tail_seq
    ),
    delivery_settled as (
      update delivery d set
        state = s.state, cause = s.cause, attempts = s.number,
        finished_at = case s.state when 'pending' then null else now() end
      from settlement s join lane_settled on lane_settled.id = s.lane_id and lane_settled.fence = s.fence
      where d.agent_id = ${agentId} and d.lane_id = s.lane_id and d.seq = s.seq and d.created_at = s.created_at
        and d.created_at between ${new Date(Math.min(...times))} and ${new Date(Math.max(...times))}
        and d.state = 'pending'
    ),
    attempt_logged as (
      insert into attempt (agent_id, delivery_id, number, id, started_at, duration_ms, cause, http_status, url, response_body,
        webhook_timestamp, webhook_signature, authorization_scheme)
      select ${agentId}::uuid, delivery_id, number, attempt_id, now() - duration_ms * interval '1 millisecond',
        duration_ms, attempt_cause, http_status, url, response_body,
        webhook_timestamp, webhook_signature, authorization_scheme
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
