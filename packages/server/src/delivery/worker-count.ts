import { sql } from "kysely";
import { newId, pause, type Database, type Log } from "../platform/index.ts";

const BEAT_MS = 5_000;
const DEAD_AFTER_MS = 15_000;

/** How many workers live, this one included; counted again every few seconds. */
export function countWorkers(db: Database, stopping: AbortSignal, log: Log): () => number {
  const id = newId();
  let live = 1;
  void (async () => {
    while (!stopping.aborted) {
      try {
        await sql`insert into worker (id) values (${id}) on conflict (id) do update set beat_at = now()`.execute(
          db,
        );
        // A beat of the future is one from before the clock was set back; whoever lives beats again.
        const deadAfter = sql`${DEAD_AFTER_MS} * interval '1 millisecond'`;
        await sql`delete from worker where beat_at not between now() - ${deadAfter} and now() + ${deadAfter}`.execute(
          db,
        );
        const { rows } = await sql<{
          live: number;
        }>`select count(*)::integer as live from worker where stopped_at is null`.execute(db);
        live = Math.max(1, rows[0]?.live ?? 1);
      } catch (error) {
        log.debug("worker_count_failed", { err: error });
      }
      await pause(BEAT_MS, stopping);
    }
    await sql`update worker set stopped_at = now(), beat_at = now() where id = ${id}`
      .execute(db)
      .catch(() => undefined);
  })();
  return () => live;
}
