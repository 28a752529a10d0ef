import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";

/** `disabled`: it answered 410. */
export type Breaker = "closed" | "open" | "disabled";

export interface DestinationIdentity {
  agentId: string;
  destinationId: string;
  url: string;
}

/**
 * Whether the destination answered another lane since this message was first tried, through any worker: then it is the message
 * that fails. Only what was accepted after it is looked at: few rows where it matters, which is where traffic is low.
 */
export async function answersOthers(
  db: Database,
  { agentId, destinationId }: DestinationIdentity,
  laneId: string,
  delivery: { id: string; createdAt: Date },
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select other.id from delivery other join lane l on l.agent_id = other.agent_id and l.id = other.lane_id
    where other.agent_id = ${agentId} and other.created_at >= ${delivery.createdAt} and other.lane_id <> ${laneId}
      and other.state = 'delivered' and l.destination_id = ${destinationId}
      and other.finished_at > (
        select min(started_at) from attempt where agent_id = ${agentId} and delivery_id = ${delivery.id}
      )
    limit 1`.execute(db);
  return rows.length > 0;
}

/** True for the caller that opened it: of many lanes that fail together, one raises the event. */
export async function storeOpenBreaker(
  db: Database,
  { agentId, destinationId, url }: DestinationIdentity,
  breaker: Exclude<Breaker, "closed">,
  tryInMs: number,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    insert into destination (id, agent_id, url, breaker, next_try_at)
    values (${destinationId}, ${agentId}, ${url}, ${breaker}, now() + ${tryInMs} * interval '1 millisecond')
    on conflict (id, agent_id) do update set
      url = excluded.url, breaker = excluded.breaker, changed_at = now(), tries = 0,
      next_try_at = excluded.next_try_at, scheduled_at = now(), recovery_step = 0
    where destination.breaker = 'closed' or destination.url <> excluded.url
      or (destination.breaker = 'open' and excluded.breaker = 'disabled')
    returning id`.execute(db);
  return rows.length > 0;
}

/** True for the caller that closed it. An operator may also close one that is disabled. */
export async function storeClosedBreaker(
  db: Database,
  destinationId: string,
  from: Exclude<Breaker, "closed">,
): Promise<boolean> {
  const row = await db
    .updateTable("destination")
    .set({ breaker: "closed", changed_at: sql`now()`, recovery_step: 0 })
    .where("id", "=", destinationId)
    .where("breaker", "=", from)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export interface BreakerState {
  breaker: Breaker;
  tries: number;
  /** Zero or less: its next try is due. */
  tryInMs: number;
  recoveryStep: number;
}

/** Facts about another URL, or about a deleted webhook, no longer count: the waiting deliveries may go on. */
export async function readDestination(
  db: Database,
  destinationId: string,
): Promise<BreakerState | undefined> {
  const { rows } = await sql<BreakerState>`
    select case when w.id is null then 'closed' else d.breaker end as breaker, tries, recovery_step as "recoveryStep",
      ceil(extract(epoch from next_try_at - now()) * 1000)::integer as "tryInMs"
    from destination d left join webhook w on w.id = d.id and w.url = d.url and w.deleted_at is null
      and exists (select from agent a where a.id = w.agent_id and a.deleted_at is null)
    where d.id = ${destinationId}`.execute(db);
  return rows[0];
}

/** Sets the next probe of an open breaker; counts one more when one was just made. */
export async function storeNextProbe(
  db: Database,
  destinationId: string,
  inMs: number,
  made: 0 | 1,
): Promise<void> {
  await db
    .updateTable("destination")
    .set({
      next_try_at: sql`now() + ${inMs} * interval '1 millisecond'`,
      scheduled_at: sql`now()`,
      tries: sql`tries + ${made}`,
    })
    .where("id", "=", destinationId)
    .where("breaker", "=", "open")
    .execute();
}

/** Also the sign, to the reconciler, that the recovery goes on. */
export async function keepRecoveryStep(db: Database, destinationId: string, step: number): Promise<void> {
  await db
    .updateTable("destination")
    .set({ recovery_step: step, changed_at: sql`now()` })
    .where("id", "=", destinationId)
    .execute();
}
