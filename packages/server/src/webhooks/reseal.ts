import { inTransaction, type Database, type Sealer } from "../platform/index.ts";
import { SEALED_COLUMNS, sealingContext, type SealedColumn } from "./destination.ts";

const BATCH_MAX = 200;

/** Seals every stored secret with the newest key, after which the older keys can be taken away. Safe to repeat and under load. */
export async function resealWebhooks(db: Database, sealer: Sealer): Promise<number> {
  let resealed = 0;
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const ids = await inTransaction(db, async (db) => {
      const rows = await db
        .selectFrom("webhook")
        .select(["id", "agent_id", ...SEALED_COLUMNS])
        .where("id", ">", after)
        .orderBy("id")
        .limit(BATCH_MAX)
        .forUpdate()
        .execute();
      for (const row of rows) {
        const changed = SEALED_COLUMNS.flatMap((column): [SealedColumn, Buffer][] => {
          const sealed = row[column];
          if (sealed === null || sealer.isSealedByNewestKey(sealed)) return [];
          const context = sealingContext(row.agent_id, row.id, column);
          return [[column, sealer.seal(sealer.open(sealed, context), context)]];
        });
        if (changed.length === 0) continue;
        await db.updateTable("webhook").set(Object.fromEntries(changed)).where("id", "=", row.id).execute();
        resealed += 1;
      }
      return rows.map(({ id }) => id);
    });
    const last = ids.at(-1);
    if (last === undefined) return resealed;
    after = last;
  }
}
