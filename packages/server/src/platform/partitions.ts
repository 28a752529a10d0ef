import { sql } from "kysely";
import type { Database } from "./database.ts";

/** The reconciler may be away for a week. */
const DAYS_AHEAD = 8;
const EVERY_MS = 3_600_000;

/** Creates the partitions of today and of the coming days; says how many were missing. */
export async function ensurePartitions(db: Database): Promise<number> {
  const { rows } = await sql<{
    made: number;
  }>`select signalbox_ensure_partitions(${DAYS_AHEAD}) as made`.execute(db);
  return rows[0]?.made ?? 0;
}

export function partitionSweep(db: Database) {
  return { name: "partitions", everyMs: EVERY_MS, run: () => ensurePartitions(db) };
}
