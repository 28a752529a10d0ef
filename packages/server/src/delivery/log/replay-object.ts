import type { ReplayFilter } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey, type Engine, type EngineObject, type Sweep, type Work } from "../../engine/index.ts";
import { inTransaction, OPERATOR_SCOPE, planForValues, type Database } from "../../platform/index.ts";
import { endOfScan, findDeliveries, type Position, type Scan } from "./delivery-filter.ts";
import { enqueueReplays, wakeLanes, type WokenLane } from "./enqueue-replays.ts";
import { filterOf } from "./list-deliveries.ts";

export interface ReplayObjectParts {
  db: Database;
  engine: Engine;
}

const STEP_EVERY_MS = 1_000;
/** Deliveries looked at in one step, whether they fit or not: a step is short, and any worker can take the next. */
const LOOKED_AT_MAX = 10_000;
const LONGEST_MS = 60_000;

interface Step {
  woken: WokenLane[];
  /** Undefined when nothing is left to do. */
  nextInMs: number | undefined;
}

/** A replay at its pace: each step puts one second's worth on its way, and is a call of its own. */
export function replayObject({ db, engine }: ReplayObjectParts): EngineObject {
  async function step({ id }: Work): Promise<void> {
    const { woken, nextInMs } = await inTransaction(db, (db) => takeStep(db, id));
    await wakeLanes(engine, woken);
    if (nextInMs !== undefined) await engine.send("replay", "step", objectKey(OPERATOR_SCOPE, id), nextInMs);
  }
  return { name: "replay", longestMs: LONGEST_MS, handlers: { step } };
}

interface RunningRow {
  filter: ReplayFilter;
  rate: number;
  position_at: Date | null;
  position_id: string | null;
  early_ms: number;
}

/** The messages and how far the replay has come commit together: a crash repeats neither. */
async function takeStep(db: Database, id: string): Promise<Step> {
  const { rows } = await sql<RunningRow>`
    select filter, rate_per_second as rate, position_at, position_id,
      ceil(extract(epoch from next_step_at - now()) * 1000)::integer as early_ms
    from replay where id = ${id} and state = 'running' for update`.execute(db);
  const row = rows[0];
  if (row === undefined) return { woken: [], nextInMs: undefined };
  if (row.early_ms > 0) return { woken: [], nextInMs: row.early_ms };

  await planForValues(db);
  const scan = {
    filter: { ...filterOf(row.filter), replayable: true },
    direction: "oldest_first",
    after:
      row.position_at === null || row.position_id === null
        ? undefined
        : { at: row.position_at, id: row.position_id },
    most: LOOKED_AT_MAX,
  } satisfies Scan;
  const { rows: found } = await findDeliveries(scan, row.rate).execute(db);
  const last = found.at(-1);
  const isFull = found.length === row.rate && last !== undefined;
  const position = isFull
    ? { at: last.created_at, id: last.id }
    : (await endOfScan(scan).execute(db)).rows[0];
  const { woken } = await enqueueReplays(db, found, id);
  // Where little fits the pace is that of looking, not of sending.
  const inMs = found.length === 0 ? 0 : STEP_EVERY_MS;
  await advance(db, id, found.length, position, inMs);
  return { woken, nextInMs: position === undefined ? undefined : inMs };
}

/** Without a position nothing is left. */
async function advance(
  db: Database,
  id: string,
  enqueued: number,
  position: Position | undefined,
  inMs: number,
): Promise<void> {
  await db
    .updateTable("replay")
    .set({
      enqueued: sql`enqueued + ${enqueued}`,
      next_step_at: sql`now() + ${inMs} * interval '1 millisecond'`,
      ...(position === undefined
        ? { state: "finished", finished_at: sql<Date>`now()` }
        : { position_at: position.at, position_id: position.id }),
    })
    .where("id", "=", id)
    .execute();
}

/** A replay whose next call was lost, or the engine with it; or whose next step lies where only a clock set back can have left it. */
export function replaySweep({ db, engine, graceMs }: ReplayObjectParts & { graceMs: number }): Sweep {
  const grace = sql`${graceMs} * interval '1 millisecond'`;
  const step = sql`${STEP_EVERY_MS} * interval '1 millisecond'`;
  return {
    name: "replays_without_a_step",
    run: async () => {
      const { rows } = await sql<{ id: string }>`
        update replay set next_step_at = now()
        where state = 'running' and next_step_at not between now() - ${grace} and now() + ${step} + ${grace}
        returning id`.execute(db);
      await Promise.all(rows.map(({ id }) => engine.send("replay", "step", objectKey(OPERATOR_SCOPE, id))));
      return rows.length;
    },
  };
}
