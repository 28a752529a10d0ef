import { sql } from "kysely";
import { OPERATOR_SCOPE, type Database } from "../platform/index.ts";

/** What PostgreSQL knows of the service. */
export interface DatabaseFacts {
  /** A standby or a read-only primary answers questions and takes no work. */
  takesWork: boolean;
  /** Since the last heartbeat of any worker; undefined when there never was one. */
  workerSilentMs: number | undefined;
  /** How many agents there are, counted to two. */
  agents: number;
  /** Conversations whose messages wait for their turn. */
  turns: LateWork;
  /** Lanes whose next delivery is due. */
  deliveries: LateWork;
}

export interface LateWork {
  /** How late the oldest is, whether that is long or not. */
  oldestMs: number;
  /** How many are late for longer than `LATE_MS`, as far as `LOOK_MAX` lets see. */
  late: number;
  /** How many agents they belong to. */
  lateAgents: number;
  /** Other agents that were served in the last `SERVED_MS`. Counted only while something is late. */
  servedAgents: number;
}

export const LATE_MS = 60_000;
const SERVED_MS = 30_000;
/** Bounds what one look costs, however much waits: rows of each kind. */
const LOOK_MAX = { lanes: 20_000, turns: 1_000, deliveries: 1_000 };

interface FactsRow {
  takes_work: boolean;
  worker_silent_ms: number | null;
  agents: number;
  oldest_turn_ms: number | null;
  late_turns: number;
  late_turn_agents: number;
  answered_agents: number;
  oldest_delivery_ms: number | null;
  late_deliveries: number;
  late_delivery_agents: number;
  delivered_agents: number;
}

export async function readDatabaseFacts(db: Database): Promise<DatabaseFacts> {
  // With a parameter it is prepared: over all partitions it takes longer to plan than to run.
  const since = (time: string) => sql`(extract(epoch from now() - ${sql.raw(time)}) * ${1000}::int)::float8`;
  const before = (ms: number) => sql`now() - ${ms}::int * interval '1 millisecond'`;
  const { rows } = await sql<FactsRow>`
    with awake as materialized (
      select agent_id, due_at from lane where state = 'awake' limit ${LOOK_MAX.lanes}
    ), late_lane as materialized (
      select agent_id, count(*) as lanes from awake where due_at < ${before(LATE_MS)} group by 1
    ), late_turn as materialized (
      -- The last that became late: they are everybody's when the service stands still, and one agent's when only that is behind.
      select agent_id, count(*) as turns from (
        select agent_id from conversation
        where turn_awake and control = 'bot' and turn_due_since < ${before(LATE_MS)}
        order by turn_due_since desc limit ${LOOK_MAX.turns}
      ) t group by 1
    ), lately as materialized (
      select agent_id, sender, state, created_at, finished_at from delivery
      where (exists (select from late_lane) or exists (select from late_turn)) and created_at > now() - interval '5 minutes'
      order by created_at desc limit ${LOOK_MAX.deliveries}
    )
    select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes_work,
      (select ${since("max(beat_at)")} from worker) as worker_silent_ms,
      (select count(*) from (select from agent where deleted_at is null and id <> ${OPERATOR_SCOPE} limit 2) a)::int as agents,
      (select ${since("min(turn_due_since)")} from conversation where turn_awake and control = 'bot') as oldest_turn_ms,
      (select coalesce(sum(turns), 0) from late_turn)::int as late_turns,
      (select count(*) from late_turn)::int as late_turn_agents,
      (select count(distinct agent_id) from lately where sender = 'ai' and created_at > ${before(SERVED_MS)}
        and agent_id not in (select agent_id from late_turn))::int as answered_agents,
      (select ${since("min(due_at)")} from awake) as oldest_delivery_ms,
      (select coalesce(sum(lanes), 0) from late_lane)::int as late_deliveries,
      (select count(*) from late_lane)::int as late_delivery_agents,
      (select count(distinct agent_id) from lately where state = 'delivered' and finished_at > ${before(SERVED_MS)}
        and agent_id not in (select agent_id from late_lane))::int as delivered_agents`.execute(db);
  return factsOf(rows[0]);
}

function factsOf(row: FactsRow | undefined): DatabaseFacts {
  return {
    takesWork: row?.takes_work ?? false,
    workerSilentMs: row?.worker_silent_ms ?? undefined,
    agents: row?.agents ?? 0,
    turns: {
      oldestMs: Math.max(0, row?.oldest_turn_ms ?? 0),
      late: row?.late_turns ?? 0,
      lateAgents: row?.late_turn_agents ?? 0,
      servedAgents: row?.answered_agents ?? 0,
    },
    deliveries: {
      oldestMs: Math.max(0, row?.oldest_delivery_ms ?? 0),
      late: row?.late_deliveries ?? 0,
      lateAgents: row?.late_delivery_agents ?? 0,
      servedAgents: row?.delivered_agents ?? 0,
    },
  };
}
