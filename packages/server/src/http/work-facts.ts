import { sql } from "kysely";
import type { Database, WorkFacts } from "../platform/index.ts";

/** A worker that is silent for longer is not counted. */
const ALIVE_MS = 15_000;

interface WorkRow {
  oldest_waiting_s: number | null;
  oldest_late_s: number | null;
  pending: number;
  given_up: number;
  open_breakers: number;
  workers: number;
}

/**
 * How much waits, read by partial indexes alone: a row for each lane that is not idle, however many deliveries wait in it, and
 * for each dead letter of the last day. What is settled costs nothing.
 */
export async function readWorkFacts(db: Database): Promise<WorkFacts> {
  const since = (time: string) => sql`extract(epoch from now() - ${sql.raw(time)})::float8`;
  const { rows } = await sql<WorkRow>`
    with awake as (
      select min(due_at) as due_at, coalesce(sum(tail_seq - done_seq), 0) as pending from lane where state = 'awake'
    ), parked as (
      select coalesce(sum(tail_seq - done_seq), 0) as pending from lane where state = 'parked'
    )
    select (select ${since("min(turn_due_since)")} from conversation where turn_awake and control = 'bot') as oldest_waiting_s,
      ${since("awake.due_at")} as oldest_late_s,
      (awake.pending + parked.pending)::float8 as pending,
      (select count(*) from dead_letter where created_at > now() - interval '1 day')::int as given_up,
      (select count(*) from destination d where breaker = 'open'
        and exists (select from webhook w where w.id = d.id and w.url = d.url and w.deleted_at is null))::int as open_breakers,
      (select count(*) from worker where stopped_at is null
        and beat_at > now() - ${ALIVE_MS}::int * interval '1 millisecond')::int as workers
    from awake, parked`.execute(db);
  const row = rows[0];
  return {
    oldestWaitingSeconds: Math.max(0, row?.oldest_waiting_s ?? 0),
    oldestLateSeconds: Math.max(0, row?.oldest_late_s ?? 0),
    pending: row?.pending ?? 0,
    givenUp: row?.given_up ?? 0,
    openBreakers: row?.open_breakers ?? 0,
    workers: row?.workers ?? 0,
  };
}
