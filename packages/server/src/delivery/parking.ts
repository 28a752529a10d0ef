import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { Claim } from "./lane-store.ts";

/**
 * Lets a lane wait in PostgreSQL, where it costs nothing, because its destination is sick. The destination's row is locked
 * and looked at again: a breaker that closes meanwhile either finds this lane parked, and wakes it, or is seen here.
 */
export async function parkIfSick(
  db: Database,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with sick as (
      select d.id from destination d join webhook w on w.id = d.id and w.url = d.url
      where d.id = ${claim.destinationId} and d.breaker <> 'closed' for share of d
    )
    update lane l set state = 'parked', parked_at = now(), trying = false, blocked_since = null
    from sick
    where l.agent_id = ${agentId} and l.id = ${laneId} and l.fence = ${claim.fence} and l.state = 'awake'
    returning l.id`.execute(db);
  return rows.length > 0;
}

/** Lets a lane wait because there is no room on this worker; whoever leaves wakes it, or else the reconciler. */
export async function parkForRoom(
  db: Database,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<void> {
  await db
    .updateTable("lane")
    .set({ state: "parked", parked_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "=", laneId)
    .where("fence", "=", claim.fence)
    .where("state", "=", "awake")
    .execute();
}

/** Parked lanes of a destination that have waited longest, woken and returned. Materialized: a join could ask for more than once. */
export async function wakeParked(
  db: Database,
  agentId: string,
  destinationId: string,
  most: number,
  as: "trying" | "recovered",
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with longest as materialized (
      select id from lane
      where agent_id = ${agentId} and destination_id = ${destinationId} and state = 'parked'
      order by parked_at limit ${most} for update skip locked
    )
    update lane l set state = 'awake', trying = ${as === "trying"}, due_at = now(), beat_at = now(), awake_since = now()
    from longest
    where l.agent_id = ${agentId} and l.id = longest.id and l.state = 'parked'
    returning l.id`.execute(db);
  return rows.map(({ id }) => id);
}
