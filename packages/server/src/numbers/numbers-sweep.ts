import { sql } from "kysely";
import type { Sweep } from "../engine/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import { countOpenHandoffs, countProgressOnce } from "./count-handoffs.ts";
import { countMessagesOnce, holdSweep, PASS_LAGS_MS } from "./count-messages.ts";

const EVERY_MS = 10_000;
/** Steps of one run: a long history is counted over many runs, and other sweeps come in between. */
const STEPS_MAX = 40;
const FORGET_MAX = 5_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export interface NumbersSweepOptions {
  db: Database;
  retentionDays: number;
  stopping: AbortSignal;
}

/**
 * Counts what was committed (ADR 0036), in short transactions. Each holds the row of `numbers_sweep`, so that of two workers one
 * counts; one that dies leaves nothing half counted, because what is added and how far it came commit together.
 */
export function numbersSweep(options: NumbersSweepOptions): Sweep {
  return {
    name: "numbers",
    everyMs: EVERY_MS,
    run: async () => {
      await sweepNumbers(options);
      // Nothing of it was forgotten.
      return 0;
    },
  };
}

export async function sweepNumbers({ db, retentionDays, stopping }: NumbersSweepOptions): Promise<void> {
  for (const pass of PASS_LAGS_MS.keys())
    for (let step = 0; step < STEPS_MAX && !stopping.aborted; step += 1) {
      const hasMore = await holding(db, (db, held) => countMessagesOnce(db, pass, held));
      if (hasMore !== true) break;
    }
  if (stopping.aborted) return;
  await holding(db, async (db) => {
    await countOpenHandoffs(db);
    await countTokens(db);
    return false;
  });
  let after: string | undefined = FIRST_ID;
  for (let step = 0; step < STEPS_MAX && after !== undefined && !stopping.aborted; step += 1) {
    const from: string = after;
    after = await holding(db, (db) => countProgressOnce(db, from));
  }
  await forget(db, retentionDays);
}

/** Undefined also while another worker counts. */
function holding<Result>(
  db: Database,
  step: (db: Database, held: { messageIds: string[]; nowMs: number }) => Promise<Result>,
): Promise<Result | undefined> {
  return inTransaction(db, async (db) => {
    const held = await holdSweep(db);
    return held === undefined ? undefined : step(db, held);
  });
}

/** Tokens are counted by agent and day as they are used (`daily_use`): what came since the last look belongs to this hour. */
async function countTokens(db: Database): Promise<void> {
  await sql`
    with used as (
      select a.agent_id, d.day, d.used - coalesce(t.counted, 0) as added, d.used
      from (select distinct m.agent_id from agent_model m join agent on agent.id = m.agent_id where agent.deleted_at is null) a
      cross join lateral (select day, used from daily_use where agent_id = a.agent_id and kind = 'model_tokens' and subject = ''
        and day >= (now() at time zone 'UTC')::date - 1) d
      left join lateral (select counted from numbers_tokens where agent_id = a.agent_id and day = d.day) t on true
      where d.used > coalesce(t.counted, 0)
    ),
    noted as (
      insert into numbers_tokens (agent_id, day, counted) select agent_id, day, used from used
      on conflict (agent_id, day) do update set counted = excluded.counted
    )
    insert into numbers_hour as n (agent_id, hour, channel, language, kind, detail, count)
    select agent_id, least(date_trunc('hour', now(), 'UTC'), (day + interval '23 hours') at time zone 'UTC'), '', '', 'tokens', '', added
    from used
    on conflict (agent_id, hour, channel, language, kind, detail) do update set count = n.count + excluded.count`.execute(
    db,
  );
  await sql`delete from numbers_tokens where day < (now() at time zone 'UTC')::date - 2`.execute(db);
}

async function forget(db: Database, retentionDays: number): Promise<void> {
  await sql`
    delete from numbers_hour where ctid = any(array(
      select ctid from numbers_hour where hour < now() - make_interval(days => ${retentionDays}) order by hour limit ${FORGET_MAX}))`.execute(
    db,
  );
}
