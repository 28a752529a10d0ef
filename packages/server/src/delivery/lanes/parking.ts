import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { Claim } from "./lane-store.ts";

/**
 * Parks a lane in PostgreSQL, where waiting costs nothing, because its destination's breaker is open. The destination's row is locked
 * and looked at again: a breaker that closes meanwhile either finds this lane parked, and wakes it, or is seen here.
 */
export async function parkIfBreakerOpen(
  db: Database,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with broken as (
      select d.id from destination d join webhook w on w.id = d.id and w.url = d.url
      where d.id = ${claim.destinationId} and d.breaker <> 'closed' for share of d
    )
    update lane l set state = 'parked', parked_at = now(), held_until = null, trying = false, blocked_since = null
    from broken
    where l.agent_id = ${agentId} and l.id = ${laneId} and l.fence = ${claim.fence} and l.state = 'awake'
    returning l.id`.execute(db);
  return rows.length > 0;
}

/** Parks a lane because this worker has no capacity; a lane that comes to rest wakes it, or else the reconciler. */
export async function parkForCapacity(
  db: Database,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<void> {
  await db
    .updateTable("lane")
    .set({ state: "parked", parked_at: sql`now()`, held_until: null })
    .where("agent_id", "=", agentId)
    .where("id", "=", laneId)
    .where("fence", "=", claim.fence)
    .where("state", "=", "awake")
    .execute();
}

/** Half-open: wakes the lane that has been parked longest, to probe the destination. */
export async function wakeToProbe(
  db: Database,
  agentId: string,
  destinationId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with ${longestParked(agentId, destinationId, sql`1`)}, ${woken(agentId, "trying")} select id from woken`.execute(
    db,
  );
  return rows[0]?.id;
}

/**
 * Wakes parked lanes of a destination whose breaker is closed, the longest parked first, until `awakeMost` are at work. One
 * that waits for the time of its next attempt is not at work.
 */
export async function wakeMoreLanes(
  db: Database,
  agentId: string,
  destinationId: string,
  awakeMost: number,
): Promise<{ laneIds: string[]; mayBeMore: boolean }> {
  const { rows } = await sql<{ wanted: number; laneIds: string[] }>`
    with capacity as materialized (
      select case when exists (
        select from destination d join webhook w on w.id = d.id and w.url = d.url join agent a on a.id = w.agent_id
        where d.id = ${destinationId} and d.breaker <> 'closed' and w.deleted_at is null and a.deleted_at is null
      ) then 0 else greatest(0, ${awakeMost}::integer - count(*))::integer end as wanted
      from lane
      where agent_id = ${agentId} and destination_id = ${destinationId} and state = 'awake' and due_at <= now()
    ),
    ${longestParked(agentId, destinationId, sql`(select wanted from capacity)`)}, ${woken(agentId, "recovered")}
    select wanted, array(select id from woken) as "laneIds" from capacity`.execute(db);
  const { wanted, laneIds } = rows[0] ?? { wanted: 0, laneIds: [] };
  return { laneIds, mayBeMore: laneIds.length >= wanted };
}

/** Materialized: a join could ask for more than once. */
function longestParked(
  agentId: string,
  destinationId: string,
  most: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`longest as materialized (
      select id from lane
      where agent_id = ${agentId} and destination_id = ${destinationId} and state = 'parked'
      order by parked_at limit ${most} for update skip locked
    )`;
}

/** Time in which it was parked does not count as time in which its head was refused. */
function woken(agentId: string, as: "trying" | "recovered"): RawBuilder<unknown> {
  return sql`woken as (
      update lane l set state = 'awake', trying = ${as === "trying"}, due_at = now(), beat_at = now(), awake_since = now(),
        blocked_since = blocked_since + greatest(now() - parked_at, interval '0')
      from longest
      where l.agent_id = ${agentId} and l.id = longest.id and l.state = 'parked'
      returning l.id
    )`;
}
