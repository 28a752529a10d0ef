import { SERVICE_IS_NORMAL } from "@signalbox/contract";
import { sql } from "kysely";
import * as agents from "./agents/index.ts";
import * as answering from "./answering/index.ts";
import type { Config } from "./config.ts";
import * as conversations from "./conversations/index.ts";
import * as delivery from "./delivery/index.ts";
import * as engine from "./engine/index.ts";
import { createHealth, createHttp, type Health, type RouteHandlers } from "./http/index.ts";
import * as knowledge from "./knowledge/index.ts";
import * as platform from "./platform/index.ts";
import * as webhooks from "./webhooks/index.ts";

export type Role = "api" | "worker" | "all";

export interface Service extends AsyncDisposable {
  log: platform.Log;
  /** Takes no more work; what is under way ends with the disposal. */
  stop(): void;
}

/** The reasons of a service that will not run. */
export class RefusedToRun extends Error {}

/** Opens everything a role needs, in order; closes it in reverse, also when opening fails half way. */
export async function composeService(config: Config, role: Role): Promise<Service> {
  await using opening = new AsyncDisposableStack();
  const log = platform.createLog(config.logLevel, { role });
  opening.adopt(platform.startTracing(config.tracing), (tracing) => tracing.close());
  const lifecycle = platform.createLifecycle();
  const metrics = platform.createMetrics();
  const onError = (error: Error) => log.warn({ err: error }, "a database connection was lost");
  const { url, poolSize } = config.database;

  const work = opening.adopt(platform.openWorkDatabase({ url, poolSize, onError }), (database) =>
    database.close(),
  );
  const agentDatabase = opening.adopt(platform.openAgentDatabase({ url, poolSize, onError }), (database) =>
    database.close(),
  );
  const healthDatabase = opening.adopt(platform.openWorkDatabase({ url, poolSize: 1, onError }), (database) =>
    database.close(),
  );
  const searchDatabase = opening.adopt(platform.openSearchDatabase({ url, poolSize, onError }), (database) =>
    database.close(),
  );
  metrics.databaseWaiting(() => work.waiting() + agentDatabase.waiting() + searchDatabase.waiting());
  const reasons = await platform.reasonsNotToRun(work.db, agentDatabase);
  if (reasons.length > 0) throw new RefusedToRun(reasons.join("; "));
  await sql`select signalbox_ensure_partitions(8)`.execute(work.db);

  const sealer = platform.createSealer(config.sealingKeys);
  const restate = opening.adopt(engine.openEngine(config.engine), (client) => client.close());
  const monitor = engine.watchEngine(restate, lifecycle.stopping, (reachable) =>
    metrics.engineReachable.set(reachable ? 1 : 0),
  );
  const health = createHealth({
    askDatabase: () => askDatabase(healthDatabase.db),
    engineSilentMs: () => monitor.silentMs(),
    stopping: lifecycle.stopping,
  });

  const outbound = opening.adopt(platform.openOutbound(config.outbound), (client) => client.close());
  const retrieval: Retrieval = {
    db: work.db,
    search: searchDatabase.db,
    sealer,
    outbound,
    log,
    statistics: knowledge.createStatisticsCache(searchDatabase.db),
    floors: knowledge.createCosineFloors(),
  };
  if (role !== "api")
    await openWorker(opening, {
      config,
      work: work.db,
      sealer,
      restate,
      outbound,
      retrieval,
      metrics,
      log,
      lifecycle,
    });

  const keys = agents.createKeyDirectory(work.db, log);
  const http = createHttp({
    health,
    log,
    metrics,
    operatorToken: config.operatorToken,
    api:
      role === "worker"
        ? undefined
        : {
            handlers: composeHandlers({
              config,
              work: work.db,
              agents: agentDatabase,
              sealer,
              restate,
              outbound,
              retrieval,
              health,
              log,
              stopping: lifecycle.stopping,
            }),
            authenticators: {
              apiKey: (key) => keys.find(key),
              operatorToken: config.operatorToken,
            },
            rateLimitPerSecond: config.http.rateLimitPerSecond,
            routeLimitsPerMinute: { check: config.http.checksPerMinute },
          },
  });
  opening.defer(() => http.close());
  await http.listen({ host: config.http.host, port: config.http.port });

  const open = opening.move();
  return { log, stop: () => lifecycle.stop(), [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** What is learned of a base while searching it is kept by the process. */
type Retrieval = Parameters<typeof answering.createAnswering>[0];

interface WorkerParts {
  config: Config;
  work: platform.Database;
  sealer: platform.Sealer;
  restate: engine.Engine;
  outbound: platform.Outbound;
  retrieval: Retrieval;
  metrics: platform.Metrics;
  log: platform.Log;
  lifecycle: platform.Lifecycle;
}

const LEADER_SILENT_TICKS = 6;

async function openWorker(opening: AsyncDisposableStack, parts: WorkerParts): Promise<void> {
  const { config, work, sealer, restate, outbound, retrieval, metrics, log, lifecycle } = parts;
  const { stopping } = lifecycle;
  const shared = { db: work, engine: restate, log, metrics, stopping };
  const events = delivery.createOperatorEvents(shared);
  const objects = [
    delivery.laneObject({
      ...shared,
      outbound,
      claim: delivery.createLaneClaimer(work, log),
      recorder: delivery.createAttemptRecorder(work, log),
      gate: delivery.createDestinationGate({
        ...config.delivery,
        liveWorkers: delivery.countWorkers(work, stopping, log),
        now: () => performance.now(),
      }),
      room: delivery.createRoomWaker(shared),
      events,
      sealer,
      timeoutMs: config.delivery.timeoutMs,
      policy: config.delivery.retry,
    }),
    delivery.destinationObject({ ...shared, timeoutMs: config.delivery.timeoutMs }),
    delivery.replayObject(shared),
    conversations.turnObject({ ...shared, openAnswering: answering.createAnswering(retrieval) }),
    knowledge.ingestObject({
      ...shared,
      ...config.knowledge,
      bulk: platform.openBulkDatabase({
        url: config.database.url,
        onError: (error) => log.warn({ err: error }, "a database connection was lost"),
      }),
      outbound,
      sealer,
      admission: knowledge.createAdmission(config.knowledge.importsAtOnce),
      limits: { ...knowledge.INTAKE_LIMITS, pairsMax: config.knowledge.pairsMax },
    }),
  ];
  opening.adopt(await engine.serveEngine({ ...config.engine, objects, log }), (serving) => serving.close());

  const registration: engine.Registration = {
    ...config.engine,
    objectNames: objects.map(({ name }) => name),
  };
  if (!(await engine.register(registration)))
    log.warn("the engine is out of reach; the reconciler will register this service");

  const sweepParts = {
    db: work,
    engine: restate,
    graceMs: config.reconcile.graceMs,
    expireMs: config.delivery.expireMs,
    events,
  };
  const reconciling = engine.runReconciler({
    leadership: platform.contendForLeadership(
      config.database.url,
      LEADER_SILENT_TICKS * config.reconcile.intervalMs,
      (error) => log.warn({ err: error }, "leadership was lost"),
    ),
    registration,
    sweeps: [
      ...delivery.laneSweeps(sweepParts),
      delivery.replaySweep(sweepParts),
      ...conversations.turnSweeps(sweepParts),
      ...knowledge.ingestSweeps(sweepParts),
      partitionSweep(work),
      delivery.retentionSweep({ db: work, retentionDays: config.delivery.retentionDays }),
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

/** A standby or a read-only primary answers questions and takes no work. */
async function askDatabase(db: platform.Database): Promise<{ takesWork: boolean; lateMs: number }> {
  const { rows } = await sql<{ takes_work: boolean; late_ms: number | null }>`
    select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes_work,
      (select extract(epoch from now() - min(due_at)) * 1000 from lane where state = 'awake')::float8 as late_ms`.execute(
    db,
  );
  const row = rows[0];
  return { takesWork: row?.takes_work ?? false, lateMs: row?.late_ms ?? 0 };
}

interface HandlerParts {
  config: Config;
  work: platform.Database;
  agents: platform.AgentDatabase;
  sealer: platform.Sealer;
  restate: engine.Engine;
  outbound: platform.Outbound;
  retrieval: Retrieval;
  health: Health;
  log: platform.Log;
  stopping: AbortSignal;
}

function composeHandlers({
  config,
  work,
  agents: agentDatabase,
  sealer,
  restate,
  outbound,
  retrieval,
  health,
  log,
  stopping,
}: HandlerParts): RouteHandlers {
  const operator: agents.OperatorParts = { db: work, sealer };
  const caller = { agents: agentDatabase, sealer, engine: restate };
  const imports = { ...caller, stopping, answerWithinMs: config.knowledge.answerWithinMs };
  const deliveries = {
    db: work,
    engine: restate,
    operator: {
      write: (from, change) => agents.writeAsOperator(operator, from, change),
      audit: agents.audit,
    } satisfies delivery.OperatorWriting,
  };
  /** What waits for an address that is another now, or gone, does not wait any longer. */
  async function thenRecheck<Result>(agentId: string, change: Promise<Result>): Promise<Result> {
    const result = await change;
    if (!(result instanceof platform.Refusal)) await delivery.recheckDestinations(deliveries, agentId);
    return result;
  }
  const acceptTogether = conversations.createMessageAcceptor({ ...caller, log });
  return {
    serviceHealth: async () =>
      (await health.isNormal())
        ? SERVICE_IS_NORMAL
        : platform.refuse("notAccepting", "the service does not work normally right now"),
    verifyApiKey: async ({ agentId }) => ({ entity_type: "agent", entity_id: agentId }),
    checkWebhooks: (from) =>
      webhooks.checkWebhooks({ db: work, agents: agentDatabase, sealer, outbound, log }, from),
    addQa: (from, input) => knowledge.addQa(imports, from, input),
    updateQa: (from, input) => knowledge.updateQa(imports, from, input),
    createKnowledgeBase: (from, input) => knowledge.createKnowledgeBase(caller, from, input),
    listKnowledgeBases: (from, input) => knowledge.listKnowledgeBases(caller, from, input),
    listDocuments: (from, input) => knowledge.listDocuments(caller, from, input),
    getDocumentDetails: (from, input) => knowledge.getDocumentDetails(caller, from, input),
    deleteDocuments: (from, input) => knowledge.deleteDocuments(caller, from, input),
    addQaChunks: (from, input) =>
      knowledge.addQaChunks({ ...caller, pairsMax: config.knowledge.pairsMax }, from, input),
    matchKnowledge: (from, input) =>
      answering.matchKnowledge({ ...retrieval, agents: agentDatabase }, from, input),
    createConversation: (from, input) => conversations.createConversation(caller, from, input),
    sendMessage: (from, input) => conversations.sendMessage({ ...caller, acceptTogether }, from, input),

    createAgent: (from, input) => agents.createAgent(operator, from, input),
    listAgents: (_, input) => agents.listAgents(operator, input),
    getAgent: (_, input) => agents.getAgent(operator, input),
    updateAgent: (from, input) => agents.updateAgent(operator, from, input),
    deleteAgent: (from, input) => thenRecheck(input.agent_id, agents.deleteAgent(operator, from, input)),
    createApiKey: (from, input) => agents.createApiKey(operator, from, input),
    listApiKeys: (_, input) => agents.listApiKeys(operator, input),
    revokeApiKey: (from, input) => agents.revokeApiKey(operator, from, input),
    setMessageWebhook: (from, input) =>
      thenRecheck(input.agent_id, webhooks.setMessageWebhook(operator, from, input)),
    getMessageWebhook: (_, input) => webhooks.getMessageWebhook(operator, input),
    deleteMessageWebhook: (from, input) =>
      thenRecheck(input.agent_id, webhooks.deleteMessageWebhook(operator, from, input)),
    rotateMessageWebhookSecret: (from, input) => webhooks.rotateMessageWebhookSecret(operator, from, input),
    createHumanService: (from, input) => webhooks.createHumanService(operator, from, input),
    listHumanServices: (_, input) => webhooks.listHumanServices(operator, input),
    updateHumanService: (from, input) =>
      thenRecheck(input.agent_id, webhooks.updateHumanService(operator, from, input)),
    deleteHumanService: (from, input) =>
      thenRecheck(input.agent_id, webhooks.deleteHumanService(operator, from, input)),
    setChatModel: (from, input) => agents.setModel(operator, from, "chat", input),
    getChatModel: (_, input) => agents.getModel(operator, "chat", input),
    deleteChatModel: (from, input) => agents.deleteModel(operator, from, "chat", input),
    setEmbeddingModel: async (from, input) => {
      const model = await agents.setModel(operator, from, "embedding", input);
      if (!(model instanceof platform.Refusal))
        await knowledge.remakeVectors({ db: work, engine: restate }, input.agent_id);
      return model;
    },
    getEmbeddingModel: (_, input) => agents.getModel(operator, "embedding", input),
    deleteEmbeddingModel: (from, input) => agents.deleteModel(operator, from, "embedding", input),
    listUnansweredQuestions: (_, input) => answering.listUnansweredQuestions(operator, input),
    setOperatorWebhook: (from, input) =>
      thenRecheck(platform.OPERATOR_SCOPE, webhooks.setOperatorWebhook(operator, from, input)),
    getOperatorWebhook: () => webhooks.getOperatorWebhook(operator),
    deleteOperatorWebhook: (from) =>
      thenRecheck(platform.OPERATOR_SCOPE, webhooks.deleteOperatorWebhook(operator, from)),
    rotateOperatorWebhookSecret: (from, input) => webhooks.rotateOperatorWebhookSecret(operator, from, input),
    listDeliveries: (_, input) => delivery.listDeliveries(deliveries, input),
    getDelivery: (_, input) => delivery.getDelivery(deliveries, input),
    replayDelivery: (from, input) => delivery.replayDelivery(deliveries, from, input),
    startReplay: (from, input) => delivery.startReplay(deliveries, from, input),
    getReplay: (_, input) => delivery.getReplay(deliveries, input),
    stopReplay: (from, input) => delivery.stopReplay(deliveries, from, input),
    listDestinations: (_, input) => delivery.listDestinations(deliveries, input),
    enableDestination: (from, input) => delivery.enableDestination(deliveries, from, input),
    listAudit: (_, input) => agents.listAudit(operator, input),
  };
}

export async function migrateDatabase(url: string, print: (line: string) => void): Promise<void> {
  const applied = await platform.migrate(url, await platform.readMigrations(), print);
  print(applied.length === 0 ? "nothing to do" : `${applied.length} applied`);
}

/** Seals stored secrets with the newest key; says how many webhooks and models were touched. */
export async function resealSecrets(config: Config): Promise<number> {
  const log = platform.createLog(config.logLevel, { role: "reseal" });
  const onError = (error: Error) => log.warn({ err: error }, "a database connection was lost");
  const work = platform.openWorkDatabase({ url: config.database.url, poolSize: 2, onError });
  try {
    const sealer = platform.createSealer(config.sealingKeys);
    return (await webhooks.resealWebhooks(work.db, sealer)) + (await agents.resealModels(work.db, sealer));
  } finally {
    await work.close();
  }
}
