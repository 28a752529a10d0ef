import { sql } from "kysely";
import type { Sweep } from "../../engine/index.ts";
import { inTransaction, type Database } from "../../platform/index.ts";

const EVERY_MS = 600_000;
/** Looking for rows that still wait may mean reading a day of them. */
const LOOK_MS = 600_000;

/** Drops whole days past their retention, bodies, attempts and all: rows are never deleted one by one. */
export function retentionSweep({ db, retentionDays }: { db: Database; retentionDays: number }): Sweep {
  return {
    name: "partitions_past_retention",
    everyMs: EVERY_MS,
    run: async () => {
      let dropped = 0;
      // One a transaction: each holds its table's lock for the moment of the drop alone.
      while ((await dropOldest(db, retentionDays)) !== null) dropped += 1;
      return dropped;
    },
  };
}

function dropOldest(db: Database, retentionDays: number): Promise<string | null> {
  return inTransaction(db, async (db) => {
    await sql`select set_config('statement_timeout', ${String(LOOK_MS)}, true)`.execute(db);
    const { rows } = await sql<{ name: string | null }>`
      select signalbox_drop_partition(${retentionDays}) as name`.execute(db);
    return rows[0]?.name ?? null;
  });
}
