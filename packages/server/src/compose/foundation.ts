import { sampleTotpSeals } from "../accounts/index.ts";
import { sampleModelSeals, watchModels } from "../agents/index.ts";
import type { Config } from "../config.ts";
import * as engine from "../engine/index.ts";
import { createHealth, readDatabaseFacts, watchHealth, type Health } from "../http/index.ts";
import * as platform from "../platform/index.ts";
import { sampleWebhookSeals } from "../webhooks/index.ts";
import { openWaysOut, type WaysOut } from "./outbound.ts";

export type Role = "api" | "worker" | "all";

/** The reasons of a service that will not run. */
export class RefusedToRun extends Error {}

/** What a process opens once and hands to whichever room needs it. */
export interface Foundation {
  config: Config;
  log: platform.Log;
  metrics: platform.Metrics;
  lifecycle: platform.Lifecycle;
  /** Every agent, on the tables that work needs. */
  work: platform.Database;
  /** The same for operators, on connections of their own. */
  console: platform.ConsoleDatabase;
  /** One agent at a time, named in each transaction. */
  agents: platform.AgentDatabase;
  /** Where pairs are searched, on connections of its own. */
  search: platform.Database;
  sealer: platform.Sealer;
  restate: engine.Engine & engine.CallSender;
  /** Tells the live streams of every node what changed. */
  broadcast: platform.Broadcast;
  outbound: WaysOut;
  /** Limits by the day, over all nodes. */
  dailyUse: platform.DailyUse;
  modelQuota: platform.ModelQuota;
  modelShare: platform.ModelShare;
  health: Health;
}

/** Opens all of it in order; `opening` closes it in reverse, also when this fails half way. */
export async function openFoundation(
  opening: AsyncDisposableStack,
  config: Config,
  role: Role,
): Promise<Foundation> {
  const log = platform.createLog(config.logLevel, { role });
  opening.adopt(await platform.startTracing(config), (tracing) => tracing.close());
  const lifecycle = platform.createLifecycle();
  const metrics = platform.createMetrics();
  const onError = (error: Error) => log.warn("database_connection_lost", { err: error });
  const { url, directUrl, pooled, poolSize, consolePoolSize } = config.database;
  const perAgent = config.limits.agentTransactionsAtOnce;

  const work = opening.adopt(platform.openWorkDatabase({ url, pooled, poolSize, onError }), (database) =>
    database.close(),
  );
  const agents = opening.adopt(
    platform.openAgentDatabase({ url, pooled, poolSize, perAgent, onError }),
    (database) => database.close(),
  );
  const ofHealth = opening.adopt(
    platform.openWorkDatabase({ url, pooled, poolSize: 1, onError }),
    (database) => database.close(),
  );
  const search = opening.adopt(platform.openSearchDatabase({ url, pooled, poolSize, onError }), (database) =>
    database.close(),
  );
  const ofConsole = opening.adopt(
    platform.openConsoleDatabase({
      url,
      pooled,
      poolSize: consolePoolSize,
      perHolder: config.limits.accountTransactionsAtOnce,
      onError,
    }),
    (database) => database.close(),
  );
  metrics.buildInfo(await platform.readBuild());
  metrics.databasePools(() => ({
    work: work.load(),
    agents: agents.load(),
    search: search.load(),
    console: ofConsole.load(),
  }));
  await platform.awaitDatabase(work.db, log, lifecycle.stopping);
  refuseFor(await platform.reasonsNotToRun(work.db, agents));
  const sealer = platform.createSealer(config.sealingKeys);
  const seals = [
    ...(await sampleWebhookSeals(work.db)),
    ...(await sampleModelSeals(work.db)),
    ...(await sampleTotpSeals(work.db)),
  ];
  refuseFor(platform.reasonsAgainstKeys(sealer, seals));
  await platform.ensurePartitions(work.db);

  const dailyUse = opening.adopt(platform.openDailyUse(work.db, log), (opened) => opened.close());
  const { callsAtOnce, tokensPerDay } = config.limits.models;
  const refusals = metrics.limitRefusals;
  const modelQuota = platform.createModelQuota({
    callsAtOnce,
    tokensPerDay,
    use: dailyUse,
    refusals,
    dialects: platform.createModelDialects(),
    onEnded: watchModels({ db: work.db, metrics, log }),
  });
  const modelShare = platform.createModelShare({ tokensPerDay, use: dailyUse, refusals });
  const broadcast = opening.adopt(platform.openBroadcast(directUrl, onError), (opened) => opened.close());
  const restate = opening.adopt(
    engine.openEngine({
      ...config.engine,
      onSendFailure: engine.reportSendFailures(log, metrics, () => performance.now()),
    }),
    (client) => client.close(),
  );
  const { stopping } = lifecycle;
  const { ingressUrl } = config.engine;
  const monitor = engine.watchEngine({ engine: restate, ingressUrl, log, metrics, stopping });
  const health = createHealth({
    askDatabase: () => readDatabaseFacts(ofHealth.db),
    askEngine: () => monitor.ask(),
    draining: lifecycle.draining,
  });
  void watchHealth(health, { log, metrics, stopping });
  const outbound = openWaysOut(opening, config, log);
  return {
    config,
    log,
    metrics,
    lifecycle,
    work: work.db,
    console: ofConsole,
    agents,
    search: search.db,
    sealer,
    restate,
    broadcast,
    outbound,
    dailyUse,
    modelQuota,
    modelShare,
    health,
  };
}

function refuseFor(reasons: string[]): void {
  if (reasons.length > 0) throw new RefusedToRun(reasons.join(". Also, "));
}
