import * as engine from "../engine/index.ts";
import { readWorkFacts } from "../http/index.ts";
import { revocationSweep } from "../live/index.ts";
import * as platform from "../platform/index.ts";
import { conversationObjects, conversationSweeps } from "./conversations.ts";
import { deliverySweeps, openDelivery } from "./delivery.ts";
import type { Foundation } from "./foundation.ts";
import { handoffAlarms, handoffObjects, handoffSweeps } from "./handoff.ts";
import { inboxSweeps } from "./inbox.ts";
import { privacyObjects, privacySweeps } from "./privacy.ts";
import { knowledgeObjects, knowledgeSweeps } from "./knowledge.ts";
import { numbersSweeps } from "./numbers.ts";
import type { Retrieval, WorkerParts } from "./parts.ts";

const LEADER_SILENT_TICKS = 6;
const GAUGES_EVERY_MS = 10_000;

/** Serves the engine's objects, and looks for what was forgotten while it leads. */
export async function openWorker(
  opening: AsyncDisposableStack,
  foundation: Foundation,
  retrieval: Retrieval,
): Promise<void> {
  const { config, work, restate, broadcast, metrics, log, lifecycle } = foundation;
  const { stopping } = lifecycle;
  const parts: WorkerParts = {
    ...foundation,
    retrieval,
    shared: { db: work, engine: restate, broadcast, log, metrics, stopping },
    sweeping: { db: work, engine: restate, broadcast, graceMs: config.reconcile.graceMs },
  };
  const delivery = openDelivery(parts);
  const objects = [
    ...delivery.objects,
    ...conversationObjects(parts, delivery),
    ...handoffObjects(parts, delivery),
    ...knowledgeObjects(parts),
    ...privacyObjects(parts),
  ];
  const serving = await engine.serveEngine({
    ...config.engine,
    objects,
    alarms: handoffAlarms(parts),
    sender: restate,
    log,
  });
  opening.adopt(serving, (one) => one.close());

  const registration: engine.Registration = {
    ...config.engine,
    serviceNames: [...objects.map(({ name }) => name), engine.BATCH_SERVICE, engine.ALARM_SERVICE],
  };
  if (!(await engine.register(registration))) log.warn("engine_not_registered");

  const reconciling = engine.runReconciler({
    election: platform.joinLeaderElection(
      config.database.directUrl,
      LEADER_SILENT_TICKS * config.reconcile.intervalMs,
      (error) => log.warn("leadership_lost", { err: error }),
    ),
    registration,
    sweeps: [
      ...deliverySweeps(parts),
      ...conversationSweeps(parts),
      ...handoffSweeps(parts),
      ...inboxSweeps(parts),
      ...knowledgeSweeps(parts),
      ...privacySweeps(parts),
      ...numbersSweeps(parts),
      revocationSweep(work),
      platform.partitionSweep(work),
      platform.dailyUseSweep(work),
      gaugeSweep(work, metrics),
    ],
    intervalMs: config.reconcile.intervalMs,
    stopping,
    log,
    metrics,
  });
  opening.defer(() => reconciling);
}

/** For metrics, on one worker alone: what it costs is paid once, however many processes are scraped. */
function gaugeSweep(db: platform.Database, metrics: platform.Metrics): engine.Sweep {
  const setGauges = metrics.workGauges();
  return {
    name: "work_gauges",
    everyMs: GAUGES_EVERY_MS,
    run: async () => {
      setGauges(await readWorkFacts(db));
      return 0;
    },
  };
}
