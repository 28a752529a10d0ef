import {
  REPLAY_MATCHES_MAX,
  type InputOf,
  type Replay,
  type ReplayFilter,
  type StartedReplay,
} from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey } from "../../engine/index.ts";
import {
  inTransaction,
  isStatementTimeout,
  newId,
  OPERATOR_SCOPE,
  planForValues,
  refuse,
  Refusal,
  type Database,
  type OperatorCaller,
} from "../../platform/index.ts";
import { countDeliveries } from "./delivery-filter.ts";
import { filterOf, placeOf } from "./list-deliveries.ts";
import type { ReplayParts } from "./replay-one.ts";

/** Sends the matching deliveries again, oldest first, at the given rate. The set does not grow: newer ones do not match. */
export async function startReplay(
  { db, engine, operator }: ReplayParts,
  caller: OperatorCaller,
  { filter, dry_run, rate_per_second }: InputOf<"startReplay">,
): Promise<StartedReplay | Refusal> {
  const place = await placeOf(db, filter);
  if (place === undefined)
    return refuse(
      "badParameter",
      "no webhook has this filter.webhook_id, or no message has this filter.message_id",
    );
  const closed = await closeFilter(db, { ...filter, ...place });
  const matched = await countMatches(db, closed);
  if (matched instanceof Refusal) return matched;
  if (dry_run) return { replay_id: null, matched };

  const started = await operator.write(caller, async (db): Promise<StartedReplay> => {
    const id = newId();
    const agentId = closed.agent_id ?? OPERATOR_SCOPE;
    await db
      .insertInto("replay")
      .values({ id, agent_id: agentId, filter: JSON.stringify(closed), rate_per_second, matched })
      .execute();
    await operator.audit(db, caller, {
      action: "replay.start",
      agentId,
      subjectId: id,
      detail: { matched, rate_per_second, filter: JSON.stringify(closed) },
    });
    return { replay_id: id, matched };
  });
  if (!(started instanceof Refusal) && started.replay_id !== null)
    await engine.send("replay", "step", objectKey(OPERATOR_SCOPE, started.replay_id));
  return started;
}

/** By the database's clock, which is the one that deliveries are dated by. */
async function closeFilter(db: Database, filter: ReplayFilter): Promise<ReplayFilter> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  const now = rows[0]?.now.getTime() ?? Date.now();
  return { ...filter, to_time: Math.min(filter.to_time ?? now, now) };
}

async function countMatches(db: Database, filter: ReplayFilter): Promise<number | Refusal> {
  const tooMany = refuse(
    "badParameter",
    `filter matches too many deliveries; narrow it, for example with from_time and to_time. One replay sends at most ${REPLAY_MATCHES_MAX}`,
  );
  try {
    const counted = countDeliveries({ ...filterOf(filter), replayable: true }, REPLAY_MATCHES_MAX + 1);
    const matched = await inTransaction(db, async (db) => {
      await planForValues(db);
      return (await counted.execute(db)).rows[0]?.matched ?? 0;
    });
    return matched > REPLAY_MATCHES_MAX ? tooMany : matched;
  } catch (error) {
    if (isStatementTimeout(error)) return tooMany;
    throw error;
  }
}

export async function getReplay(
  { db }: { db: Database },
  { replay_id }: InputOf<"getReplay">,
): Promise<Replay | Refusal> {
  const row = await db.selectFrom("replay").selectAll().where("id", "=", replay_id).executeTakeFirst();
  return row === undefined ? noReplay() : describe(db, row);
}

/** Deliveries already on their way still go out; stopping a replay that has ended is no mistake. */
export function stopReplay(
  { operator }: ReplayParts,
  caller: OperatorCaller,
  { replay_id }: InputOf<"stopReplay">,
): Promise<Replay | Refusal> {
  return operator.write(caller, async (db) => {
    const row = await db
      .selectFrom("replay")
      .selectAll()
      .where("id", "=", replay_id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return noReplay();
    if (row.state !== "running") return describe(db, row);
    const stopped = await db
      .updateTable("replay")
      .set({ state: "stopped", finished_at: sql`now()` })
      .where("id", "=", replay_id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await operator.audit(db, caller, {
      action: "replay.stop",
      // Safe because startReplay is the only writer.
      agentId: (row.filter as ReplayFilter).agent_id ?? OPERATOR_SCOPE,
      subjectId: replay_id,
      detail: { matched: row.matched, enqueued: row.enqueued },
    });
    return describe(db, stopped);
  });
}

function noReplay(): Refusal {
  return refuse("notFound", "no replay has this replay_id");
}

interface ReplayRow {
  id: string;
  filter: unknown;
  rate_per_second: number;
  matched: number;
  enqueued: number;
  state: string;
  created_at: Date;
  finished_at: Date | null;
}

async function describe(db: Database, row: ReplayRow): Promise<Replay> {
  const { rows } = await sql<{ delivered: number; dead: number }>`
    select count(*) filter (where state = 'delivered')::integer as delivered,
      count(*) filter (where state = 'dead')::integer as dead
    from delivery where replay_id = ${row.id} and created_at >= ${row.created_at}::timestamptz - interval '1 minute'`.execute(
    db,
  );
  return {
    replay_id: row.id,
    // Safe because the table allows no other, and startReplay is the only writer of the filter.
    state: row.state as Replay["state"],
    filter: row.filter as Record<string, unknown>,
    rate_per_second: row.rate_per_second,
    matched: row.matched,
    enqueued: row.enqueued,
    delivered: rows[0]?.delivered ?? 0,
    dead: rows[0]?.dead ?? 0,
    create_time: row.created_at.getTime(),
    finish_time: row.finished_at?.getTime() ?? null,
  };
}
