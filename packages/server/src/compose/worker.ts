import { sql } from "kysely";
import * as engine from "../engine/index.ts";
import { revocationSweep } from "../live/index.ts";
import * as platform from "../platform/index.ts";
import { conversationObjects, conversationSweeps } from "./conversations.ts";
import { deliverySweeps, openDelivery } from "./delivery.ts";
import type { Foundation } from "./foundation.ts";
import { handoffObjects, handoffSweeps } from "./handoff.ts";
import { privacyObjects, privacySweeps } from "./privacy.ts";
import { knowledgeObjects, knowledgeSweeps, type Retrieval } from "./knowledge.ts";

/** What every room of a worker is handed. */
export interface WorkerParts extends Foundation {
  retrieval: Retrieval;
  shared: {
    db: platform.Database;
    engine: engine.Engine;
    log: platform.Log;
    metrics: platform.Metrics;
    stopping: AbortSignal;
  };
  sweeping: { db: platform.Database; engine: engine.Engine; graceMs: number };
}

const LEADER_SILENT_TICKS = 6;

/** Serves the engine's objects, and looks for what was forgotten while it leads. */
export async function openWorker(
  opening: AsyncDisposableStack,
  foundation: Foundation,
  retrieval: Retrieval,
): Promise<void> {
  const { config, work, restate, metrics, log, lifecycle } = foundation;
  const { stopping } = lifecycle;
  const parts: WorkerParts = {
    ...foundation,
    retrieval,
    shared: { db: work, engine: restate, log, metrics, stopping },
    sweeping: { db: work, engine: restate, graceMs: config.reconcile.graceMs },
  };
  const delivery = openDelivery(parts);
  const objects = [
    ...delivery.objects,
    ...conversationObjects(parts, delivery),
    ...handoffObjects(parts),
    ...knowledgeObjects(parts),
    ...privacyObjects(parts),
  ];
  const serving = await engine.serveEngine({ ...config.engine, objects, sender: restate, log });
  opening.adopt(serving, (one) => one.close());

  const registration: engine.Registration = {
    ...config.engine,
    serviceNames: [...objects.map(({ name }) => name), engine.BATCH_SERVICE],
  };
  if (!(await engine.register(registration))) log.warn("engine_not_registered");

  const reconciling = engine.runReconciler({
    election: platform.joinLeaderElection(
      config.database.url,
      LEADER_SILENT_TICKS * config.reconcile.intervalMs,
      (error) => log.warn("leadership_lost", { err: error }),
    ),
    registration,
    sweeps: [
      ...deliverySweeps(parts),
      ...conversationSweeps(parts),
      ...handoffSweeps(parts),
      ...knowledgeSweeps(parts),
      ...privacySweeps(parts),
      revocationSweep(work),
      partitionSweep(work),
      dailyUseSweep(work),
    ],
    intervalMs: config.reconcile.intervalMs,
    stopping,
    log,
    metrics,
  });
  opening.defer(() => reconciling);
}

const PARTITIONS_EVERY_MS = 3_600_000;

function partitionSweep(db: platform.Database): engine.Sweep {
  return {
    name: "partitions",
    everyMs: PARTITIONS_EVERY_MS,
    run: async () => {
      const { rows } = await sql<{ made: number }>`select signalbox_ensure_partitions(8) as made`.execute(db);
      return rows[0]?.made ?? 0;
    },
  };
}

function dailyUseSweep(db: platform.Database): engine.Sweep {
  return {
    name: "daily_use_retention",
    everyMs: PARTITIONS_EVERY_MS,
    run: async () => {
      await sql`delete from daily_use where day < (now() at time zone 'utc')::date - 1`.execute(db);
      return 0;
    },
  };
}
