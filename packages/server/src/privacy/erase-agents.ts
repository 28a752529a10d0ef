import { sql } from "kysely";
import { objectKey, type Engine, type Sweep } from "../engine/index.ts";
import { audit, inTransaction, newId, OPERATOR_SCOPE, type Database } from "../platform/index.ts";

/** Over all tables, in one transaction. */
const ROWS_TOGETHER = 20_000;
const LOOK_EVERY_MS = 60_000;
const BATCH_MAX = 100;

/** Agents that were deleted longer ago than their grace: each becomes an erasure, which goes its own way. */
export function agentsPastGraceSweep({
  db,
  engine,
  graceDays,
}: {
  db: Database;
  engine: Engine;
  graceDays: number;
}): Sweep {
  return {
    name: "agents_past_grace",
    everyMs: LOOK_EVERY_MS,
    run: async () => {
      const { rows } = await sql<{ id: string }>`
        select id from agent
        where deleted_at <= now() - make_interval(days => ${graceDays}) and id <> ${OPERATOR_SCOPE}
          and not exists (select from erasure e where e.agent_id = agent.id and e.scope = 'agent')
        limit ${BATCH_MAX}`.execute(db);
      for (const { id: agentId } of rows) {
        const id = newId();
        await sql`
          insert into erasure (id, agent_id, scope) values (${id}, ${agentId}, 'agent') on conflict do nothing`.execute(
          db,
        );
        await engine.send("erasure", "step", objectKey(OPERATOR_SCOPE, id));
      }
      return rows.length;
    },
  };
}

/** True while rows are left. That the last one is gone is recorded with it. */
export function purgeAgent(
  { db, graceDays }: { db: Database; graceDays: number },
  erasureId: string,
  agentId: string,
): Promise<boolean> {
  return inTransaction(db, async (db) => {
    const { rows } = await sql<{ purged: { more: boolean } }>`
      select signalbox_purge_agent(${erasureId}, ${graceDays}, ${ROWS_TOGETHER}) as purged`.execute(db);
    const more = rows[0]?.purged.more ?? false;
    if (!more)
      await audit(db, "service", { action: "agent.erase", agentId, subjectId: erasureId, detail: {} });
    return more;
  });
}
