import { sql } from "kysely";
import { newId, pause, type Database, type Log } from "../../platform/index.ts";

const BEAT_MS = 5_000;
const DEAD_AFTER_MS = 15_000;

/** Writes this worker's heartbeat every few seconds. Returns how many workers were alive at the last one, itself included. */
export function startWorkerHeartbeat(db: Database, stopping: AbortSignal, log: Log): () => number {
  const id = newId();
  let live = 1;
  void (async () => {
    while (!stopping.aborted) {
      try {
        await sql`insert into worker (id) values (${id}) on conflict (id) do update set beat_at = now()`.execute(
          db,
        );
        // A beat in the future was written before the database clock was set back. A live worker writes it again.
        const deadAfter = sql`${DEAD_AFTER_MS} * interval '1 millisecond'`;
        await sql`delete from worker where beat_at not between now() - ${deadAfter} and now() + ${deadAfter}`.execute(
          db,
        );
        const { rows } = await sql<{
          live: number;
        }>`select count(*)::integer as live from worker where stopped_at is null`.execute(db);
        live = Math.max(1, rows[0]?.live ?? 1);
      } catch (error) {
        log.debug("worker_heartbeat_failed", { err: error });
      }
      await pause(BEAT_MS, stopping);
    }
    await sql`update worker set stopped_at = now(), beat_at = now() where id = ${id}`
      .execute(db)
      .catch(() => undefined);
  })();
  return () => live;
}
