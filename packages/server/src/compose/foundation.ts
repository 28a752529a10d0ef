import { sql } from "kysely";
import { sampleModelSeals } from "../agents/index.ts";
import type { Config } from "../config.ts";
import * as engine from "../engine/index.ts";
import { createHealth, watchHealth, type DatabaseFacts, type Health } from "../http/index.ts";
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
  /** One agent at a time, named in each transaction. */
  agents: platform.AgentDatabase;
  /** Where pairs are searched, on connections of its own. */
  search: platform.Database;
  sealer: platform.Sealer;
  restate: engine.Engine & engine.CallSender;
  /** Tells the live streams of every node what changed. */
  broadcast: platform.Broadcast;
  outbound: WaysOut;
  /** What is limited by the day, over all nodes. */
  dailyUse: platform.DailyUse;
  modelQuota: platform.ModelQuota;
  health: Health;
}

/** Opens all of it in order; `opening` closes it in reverse, also when this fails half way. */
export async function openFoundation(
  opening: AsyncDisposableStack,
  config: Config,
  role: Role,
): Promise<Foundation> {
  const log = platform.createLog(config.logLevel, { role });
  opening.adopt(platform.startTracing(config.tracing), (tracing) => tracing.close());
  const lifecycle = platform.createLifecycle();
  const metrics = platform.createMetrics();
  const onError = (error: Error) => log.warn("database_connection_lost", { err: error });
  const { url, poolSize } = config.database;
  const perAgent = agentShareOf(config);

  const work = opening.adopt(platform.openWorkDatabase({ url, poolSize, onError }), (database) =>
    database.close(),
  );
  const agents = opening.adopt(platform.openAgentDatabase({ url, poolSize, perAgent, onError }), (database) =>
    database.close(),
  );
  const ofHealth = opening.adopt(platform.openWorkDatabase({ url, poolSize: 1, onError }), (database) =>
    database.close(),
  );
  const search = opening.adopt(platform.openSearchDatabase({ url, poolSize, onError }), (database) =>
    database.close(),
  );
  metrics.databaseWaiting(() => work.waiting() + agents.waiting() + search.waiting());
  await platform.awaitDatabase(work.db, log, lifecycle.stopping);
  refuseFor(await platform.reasonsNotToRun(work.db, agents));
  const sealer = platform.createSealer(config.sealingKeys);
  const seals = [...(await sampleWebhookSeals(work.db)), ...(await sampleModelSeals(work.db))];
  refuseFor(platform.reasonsAgainstKeys(sealer, seals));
  await sql`select signalbox_ensure_partitions(8)`.execute(work.db);

  const dailyUse = opening.adopt(platform.openDailyUse(work.db, log), (opened) => opened.close());
  const { callsAtOnce, tokensPerDay } = config.limits.models;
  const refusals = metrics.limitRefusals;
  const modelQuota = platform.createModelQuota({ callsAtOnce, tokensPerDay, use: dailyUse, refusals });
  const broadcast = opening.adopt(platform.openBroadcast(url, onError), (opened) => opened.close());
  const restate = opening.adopt(
    engine.openEngine({
      ...config.engine,
      announce: (key) => broadcast.tell(key),
      onSendFailure: engine.reportSendFailures(log, metrics, () => performance.now()),
    }),
    (client) => client.close(),
  );
  const { stopping } = lifecycle;
  const { ingressUrl } = config.engine;
  const monitor = engine.watchEngine({ engine: restate, ingressUrl, log, metrics, stopping });
  const health = createHealth({
    askDatabase: () => askDatabase(ofHealth.db),
    engineSilentMs: () => monitor.silentMs(),
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
    agents,
    search: search.db,
    sealer,
    restate,
    broadcast,
    outbound,
    dailyUse,
    modelQuota,
    health,
  };
}

/** Half of a pool, unless it is set: two agents together may use it whole, and one alone may not. */
function agentShareOf({ database, limits }: Config): number {
  return limits.agentTransactionsAtOnce ?? Math.max(1, Math.floor(database.poolSize / 2));
}

function refuseFor(reasons: string[]): void {
  if (reasons.length > 0) throw new RefusedToRun(reasons.join(". Also, "));
}

async function askDatabase(db: platform.Database): Promise<DatabaseFacts> {
  const since = (time: string) => sql.raw(`(extract(epoch from now() - ${time}) * 1000)::float8`);
  const { rows } = await sql<{
    takes_work: boolean;
    worker_silent_ms: number | null;
    turn_late_ms: number | null;
    delivery_late_ms: number | null;
  }>`
    select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes_work,
      (select ${since("max(beat_at)")} from worker) as worker_silent_ms,
      (select ${since("min(turn_due_since)")} from conversation where turn_awake and control = 'bot') as turn_late_ms,
      (select ${since("min(due_at)")} from lane where state = 'awake') as delivery_late_ms`.execute(db);
  const row = rows[0];
  return {
    takesWork: row?.takes_work ?? false,
    workerSilentMs: row?.worker_silent_ms ?? undefined,
    turnLateMs: row?.turn_late_ms ?? 0,
    deliveryLateMs: row?.delivery_late_ms ?? 0,
  };
}
