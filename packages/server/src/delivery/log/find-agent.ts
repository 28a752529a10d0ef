import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";

/** Whose delivery this is. */
export async function agentOfDelivery(db: Database, deliveryId: string): Promise<string | undefined> {
  const found = await db
    .selectFrom("delivery")
    .select("agent_id")
    .where("id", "=", deliveryId)
    .executeTakeFirst();
  return found?.agent_id;
}

/** Whose deliveries a replay sends again; undefined where it is not of one agent. */
export async function agentOfReplay(db: Database, replayId: string): Promise<string | undefined> {
  const { rows } = await sql<{ agent_id: string | null }>`
    select filter->>'agent_id' as agent_id from replay where id = ${replayId}`.execute(db);
  return rows[0]?.agent_id ?? undefined;
}
