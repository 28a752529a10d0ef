import { sql } from "kysely";
import { objectKey, type Engine, type Sweep } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import type { OperatorEvents } from "../destinations/operator-events.ts";

export interface SweepParts {
  db: Database;
  engine: Engine;
  graceMs: number;
  /** How long a message may wait for a destination that is down. */
  expireMs: number;
  events: OperatorEvents;
}

interface Found {
  agent_id: string;
  id: string;
}

const BATCH_MAX = 1_000;
const AUDIT_EVERY_MS = 300_000;
const EXPIRE_EVERY_MS = 60_000;

/**
 * Whatever of lanes and destinations could have been forgotten: its call was lost, or the engine was, or the database clock was
 * set back. What was written down as now and lies in the future shows the latter; such rows wait no longer than they meant to.
 */
export function laneSweeps({ db, engine, graceMs, expireMs, events }: SweepParts): Sweep[] {
  async function send(object: string, handler: string, found: Found[]): Promise<number> {
    await Promise.all(found.map(({ agent_id, id }) => engine.send(object, handler, objectKey(agent_id, id))));
    return found.length;
  }
  const grace = sql`${graceMs} * interval '1 millisecond'`;
  const isNotNear = (column: string) =>
    sql`${sql.ref(column)} not between now() - ${grace} and now() + ${grace}`;

  return [
    {
      name: "lanes_overdue",
      // The beat is set anew, so that a lane is called once a grace and not once a tick.
      run: async () => {
        const { rows } = await sql<Found>`
          with overdue as materialized (
            select agent_id, id from lane
            where state = 'awake' and (greatest(due_at, beat_at) < now() - ${grace} or beat_at > now() + ${grace})
            order by id limit ${BATCH_MAX} for update skip locked
          )
          update lane l set beat_at = now(),
            due_at = case when l.beat_at > now() then now() + greatest(l.due_at - l.beat_at, interval '0') else l.due_at end,
            blocked_since = case when l.blocked_since > now() then now() else l.blocked_since end
          from overdue
          where l.agent_id = overdue.agent_id and l.id = overdue.id and l.state = 'awake'
          returning l.agent_id, l.id`.execute(db);
        return send("lane", "drain", rows);
      },
    },
    {
      name: "lanes_parked_with_closed_breaker",
      run: async () => {
        const { rows } = await sql<Found>`
          select distinct l.agent_id, l.destination_id as id from lane l
          left join destination d on d.id = l.destination_id
          left join webhook w on w.id = d.id and w.url = d.url and w.deleted_at is null
            and exists (select from agent a where a.id = w.agent_id and a.deleted_at is null)
          where l.state = 'parked' and ${isNotNear("l.parked_at")}
            and (w.id is null or (d.breaker = 'closed' and ${isNotNear("d.changed_at")}))
          limit ${BATCH_MAX}`.execute(db);
        return send("destination", "recover", rows);
      },
    },
    {
      name: "breakers_without_a_try",
      run: async () => {
        const { rows } = await sql<Found>`
          update destination d set next_try_at = now(), scheduled_at = now()
          where breaker = 'open' and (next_try_at < now() - ${grace} or scheduled_at > now() + ${grace})
            and exists (select from webhook w join agent a on a.id = w.agent_id
              where w.id = d.id and w.url = d.url and w.deleted_at is null and a.deleted_at is null)
          returning agent_id, id`.execute(db);
        return send("destination", "try", rows);
      },
    },
    {
      name: "lanes_idle_with_pending",
      everyMs: AUDIT_EVERY_MS,
      run: async () => {
        const { rows } = await sql<Found>`
          with forgotten as materialized (
            select agent_id, id from lane where state = 'idle' and done_seq < tail_seq
            order by id limit ${BATCH_MAX} for update skip locked
          )
          update lane l set state = 'awake', due_at = now(), beat_at = now(), awake_since = now()
          from forgotten
          where l.agent_id = forgotten.agent_id and l.id = forgotten.id
          returning l.agent_id, l.id`.execute(db);
        return send("lane", "drain", rows);
      },
    },
    { name: "expired_while_parked", everyMs: EXPIRE_EVERY_MS, run: () => expireParked(db, expireMs, events) },
  ];
}

/**
 * What waited too long for a destination that is down is given up, in batches, visibly; what is younger goes on waiting. A
 * message that had to wait for a desk to open counts from then on, so that a weekend gives nothing up untried.
 */
async function expireParked(db: Database, expireMs: number, events: OperatorEvents): Promise<number> {
  const { rows } = await sql<{ agentId: string; destinationId: string; count: number }>`
    with cutoff as (select now() - ${expireMs} * interval '1 millisecond' as at),
    stale as (
      select agent_id, id, destination_id, done_seq from lane, cutoff
      where state = 'parked' and pending_since < cutoff.at and (not_before is null or not_before < cutoff.at)
      limit ${BATCH_MAX} for update of lane skip locked
    ),
    -- A lane expires from its head on: of two accepted at once the later may be dated earlier.
    reach as (
      select s.agent_id, s.id, s.destination_id, s.done_seq, max(d.seq) as last_seq
      from cutoff, stale s join delivery d on d.agent_id = s.agent_id and d.lane_id = s.id and d.seq > s.done_seq
      where d.created_at < cutoff.at group by 1, 2, 3, 4
    ),
    expired as (
      update delivery d set state = 'dead', cause = 'expired', finished_at = now()
      from reach r, cutoff
      where d.agent_id = r.agent_id and d.lane_id = r.id and d.seq > r.done_seq and d.seq <= r.last_seq
        and d.created_at < cutoff.at + interval '1 minute' and d.state = 'pending'
      returning d.agent_id, d.lane_id, d.seq, r.destination_id
    ),
    lane_moved as (
      update lane l set
        done_seq = coalesce(e.last_seq, l.done_seq),
        pending_since = date_trunc('milliseconds', cutoff.at),
        state = case when coalesce(e.last_seq, l.done_seq) = l.tail_seq then 'idle' else l.state end
      from stale s left join (select agent_id, lane_id, max(seq) as last_seq from expired group by 1, 2) e
        on e.agent_id = s.agent_id and e.lane_id = s.id, cutoff
      where l.agent_id = s.agent_id and l.id = s.id
    )
    select agent_id as "agentId", destination_id as "destinationId", count(*)::integer as count
    from expired group by 1, 2`.execute(db);
  // One event for all of a destination: an operator needs to know of them, not of each.
  for (const expired of rows) await events.raise({ kind: "deliveries_expired", ...expired });
  return rows.reduce((sum, { count }) => sum + count, 0);
}
