import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

/** What PostgreSQL knows of the service. */
export interface DatabaseFacts {
  /** A standby or a read-only primary answers questions and takes no work. */
  takesWork: boolean;
  /** Since the last heartbeat of any worker; undefined when there never was one. */
  workerSilentMs: number | undefined;
  /** How long the oldest unanswered message waits for its turn. */
  turnLateMs: number;
  /** How late the oldest due delivery is. */
  deliveryLateMs: number;
}

export async function readDatabaseFacts(db: Database): Promise<DatabaseFacts> {
  // With a parameter it is prepared: over all partitions it takes longer to plan than to run.
  const since = (time: string) => sql`(extract(epoch from now() - ${sql.raw(time)}) * ${1000}::int)::float8`;
  const { rows } = await sql<{
    takes_work: boolean;
    worker_silent_ms: number | null;
    turn_late_ms: number | null;
    delivery_late_ms: number | null;
  }>`
    select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes_work,
      (select ${since("max(beat_at)")} from worker) as worker_silent_ms,
      (select ${since("min(turn_due_since)")} from conversation where turn_awake and control = 'bot') as turn_late_ms,
      (select ${since("min(due_at)")} from lane where state = 'awake') as delivery_late_ms`.execute(db);
  const row = rows[0];
  return {
    takesWork: row?.takes_work ?? false,
    workerSilentMs: row?.worker_silent_ms ?? undefined,
    turnLateMs: row?.turn_late_ms ?? 0,
    deliveryLateMs: row?.delivery_late_ms ?? 0,
  };
}
