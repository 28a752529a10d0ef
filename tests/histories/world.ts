import { randomUUID } from "node:crypto";
import { createAgent } from "../../packages/server/src/agents/index.ts";
import { createAnswering } from "../../packages/server/src/answering/index.ts";
import * as originalConversations from "../../packages/server/src/conversations/index.ts";
import * as originalDelivery from "../../packages/server/src/delivery/index.ts";
import type { DrainLane } from "../../packages/server/src/delivery/index.ts";
import * as originalEngine from "../../packages/server/src/engine/index.ts";
import type {
  AlarmSlot,
  Call,
  CallSender,
  Engine,
  EngineObject,
} from "../../packages/server/src/engine/index.ts";
import * as originalHandoff from "../../packages/server/src/handoff/index.ts";
import { createCosineFloors, createStatisticsCache } from "../../packages/server/src/knowledge/index.ts";
import {
  createLog,
  createMetrics,
  createSealer,
  inTransaction,
  Refusal,
  UNMETERED,
  type AgentDatabase,
  type Outbound,
} from "../../packages/server/src/platform/index.ts";
import {
  createDestinationOpener,
  createHumanService,
  setMessageWebhook,
} from "../../packages/server/src/webhooks/index.ts";
import { Crash, Fault, type Schedule } from "./schedule.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";

export type Rooms = {
  conversations: typeof originalConversations;
  delivery: typeof originalDelivery;
  engine: typeof originalEngine;
  handoff: typeof originalHandoff;
};
export const ORIGINALS: Rooms = {
  conversations: originalConversations,
  delivery: originalDelivery,
  engine: originalEngine,
  handoff: originalHandoff,
};

/** One call that reached a developer, whatever became of the answer. */
export interface Arrival {
  call: "message" | "establish" | "chat" | "close";
  webhookId: string;
  body: { conversation_id: string; message_id?: string; body?: unknown; type?: string };
}

/** What the engine was given, and gives to one worker after another until it is done. */
export interface Invocation {
  calls: Call[];
  /** An alarm has no calls of its own. */
  alarm?: AlarmSlot;
  tries: number;
  /** Others of the same keys may run beside it. */
  isShared: boolean;
  dueAt: number;
}

/** How a developer behaves at one call. `lost`: it has it, and its answer does not arrive. */
export type Behaviour = "ok" | "refuses" | "lost" | "unreachable";

export interface World {
  agentId: string;
  conversationId: string;
  arrivals: Arrival[];
  /** What the engine was asked for and has not been given to anybody. */
  queue: Invocation[];
  /** Lanes whose worker died with a message in hand, which may have arrived for all that anybody knows. */
  cutOffLanes: Set<string>;
  /** Answers that were neither an answer of the contract nor a crash of ours. */
  surprises: string[];
  /** Something happened that only the reconciler mends: a call was lost, or the clock was set back. */
  needsReconciler: boolean;
  /** Somebody failed or died, or one call went to two workers, so that something may be sent again. */
  mayRepeat: boolean;
  /** What was sent again for no such reason: its developer had taken it, or was about to. */
  repeats: string[];
  behave: (call: Arrival["call"]) => Behaviour;
  /** Calls to the engine are lost while it is true. */
  isEngineAway: boolean;
  setNow(ms: number): void;
  say(text: string): Promise<unknown>;
  request(): Promise<unknown>;
  leave(): Promise<unknown>;
  reply(handoffId: string, timestamp: number, body: string): Promise<unknown>;
  close(handoffId: string): Promise<unknown>;
  perform(invocation: Invocation): Promise<void>;
  /** How many turns and lanes were forgotten by everybody else. */
  sweep(): Promise<number>;
}

export interface Settled {
  agentId: string;
}

const log = createLog("silent", {});
const metrics = createMetrics();
const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
const GRACE_MS = 5_000;
const TIMEOUT_MS = 10_000;
const TIMES = { timeoutMs: TIMEOUT_MS, retry: { delaysMs: [1_000, 3_000, 10_000], blockedMaxMs: 900_000 } };
const MOTION_SWEEPS = new Set(["lanes_overdue", "lanes_idle_with_pending", "turns_due"]);
const request = { id: "history", address: "127.0.0.1" };
const CALLER = { kind: "agent", apiKeyId: "", apiKeyName: "", request, idempotency: undefined } as const;
const OPERATOR = {
  kind: "operator",
  actor: "bootstrap_token",
  actorId: null,
  actorName: "",
  sessionId: undefined,
  agentIds: undefined,
  request,
  idempotency: undefined,
} as const;

/** An agent with a message webhook and a desk. */
export async function settle({ db }: SimulatedDatabase): Promise<Settled> {
  const nobody = async () => undefined;
  const operator = { db, sealer, httpsOnly: false, onChanged: nobody, onDeleted: nobody };
  const kept = <Result>(result: Result | Refusal): Result => {
    if (result instanceof Refusal) throw new Error(result.failure);
    return result;
  };
  const { agent_id } = kept(
    await createAgent(operator, OPERATOR, { name: "Agent", language: "en", fallback_text: "No idea." }),
  );
  kept(await setMessageWebhook(operator, OPERATOR, { agent_id, url: "http://developer.example/messages" }));
  kept(
    await createHumanService(operator, OPERATOR, {
      agent_id,
      name: "Desk",
      url: "http://desk.example",
      allow_unauthenticated_replies: false,
      establish_timeout_seconds: 3,
      establish_tries: 3,
    }),
  );
  return { agentId: agent_id };
}

/** One conversation, with everything the service does around it, spoken to by function calls in place of sockets. */
export function openWorld(
  { db }: SimulatedDatabase,
  { agentId }: Settled,
  conversationId: string,
  schedule: Schedule,
  { conversations, delivery, engine: engineRoom, handoff }: Rooms,
): World {
  const agents: AgentDatabase = {
    asAgent: (_, work) => inTransaction(db, work),
    asAgentOnce: (_, work) => inTransaction(db, work),
    asAgentsOnce: (_, work) => inTransaction(db, work),
    waiting: () => 0,
    close: async () => undefined,
  };
  let now = 0;
  /** Calls to a developer that were taken, or are on their way. */
  const sent = new Set<string>();
  const world: World = {
    agentId,
    conversationId,
    arrivals: [],
    queue: [],
    cutOffLanes: new Set(),
    surprises: [],
    needsReconciler: false,
    mayRepeat: false,
    repeats: [],
    behave: () => "ok",
    isEngineAway: false,
    setNow: (ms) => void (now = ms),
    say: (text) =>
      observed(
        conversations.sendMessage({ ...caller, acceptTogether: nextAcceptor(), turns }, from, {
          conversation_id: conversationId,
          response_mode: "webhook",
          messages: [{ role: "user", content: text }],
        }),
      ),
    request: () => observed(handoff.requestHandoff(caller, from, { conversation_id: conversationId })),
    leave: () => observed(handoff.leaveHandoff(caller, from, { conversation_id: conversationId })),
    reply: (conversation_id, timestamp, body) =>
      observed(handoff.receiveHumanMessage({ ...caller, db }, from, { conversation_id, timestamp, body })),
    close: (conversation_id) =>
      observed(handoff.closeByHuman({ ...caller, db }, from, { conversation_id, timestamp: 0 })),
    perform,
    async sweep() {
      let forgotten = 0;
      for (const sweep of sweeps) {
        const found = await sweep.run();
        if (MOTION_SWEEPS.has(sweep.name)) forgotten += found;
      }
      return forgotten;
    },
  };
  // Nobody waits for some of these calls: a process that dies here has simply not made it.
  const take = (invocation: Omit<Invocation, "dueAt">, delayMs: number) =>
    schedule
      .step(async () => {
        if (world.isEngineAway) return false;
        world.queue.push({ ...invocation, dueAt: now + delayMs });
        return true;
      }, true)
      .catch((error: unknown) => {
        if (!(error instanceof Crash)) world.needsReconciler = true;
        return false;
      });
  const engine: Engine & CallSender = {
    send: (object, handler, key, delayMs = 0) => {
      const calls = [{ object, handler, key, id: randomUUID() }];
      return take({ calls, tries: 0, isShared: delayMs === 0 && engineRoom.mayShare(object) }, delayMs);
    },
    setAlarm: (_, dueAt, at) => {
      const alarm = engineRoom.alarmSlotOf(dueAt);
      const isSet = world.queue.some((one) => one.alarm?.untilMs === alarm.untilMs);
      return isSet
        ? Promise.resolve(true)
        : take({ calls: [], alarm, tries: 0, isShared: false }, Math.max(0, alarm.untilMs - at));
    },
    sendAlone: (call, delayMs) => take({ calls: [call], tries: 0, isShared: false }, delayMs),
    sendBatch: (calls, tries, delayMs) => take({ calls: [...calls], tries, isShared: true }, delayMs),
    isReachable: async () => true,
    close: async () => undefined,
  };
  const broadcast = { tell: () => undefined };
  const shared = { db, engine, broadcast, log, metrics, stopping: new AbortController().signal };
  const events = delivery.createOperatorEvents(shared);
  const caller = { agents, sealer, engine, broadcast };
  const from = { ...CALLER, agentId };
  // A user's messages go to two nodes in turn: what both accept at the same moment shares no statement.
  const newAcceptor = () => conversations.createMessageAcceptor({ ...caller, log });
  let [next, other] = [newAcceptor(), newAcceptor()];
  const nextAcceptor = () => {
    [next, other] = [other, next];
    return next;
  };
  const outbound: Outbound = {
    post,
    stream: () => Promise.reject(new Error("the agent has no model")),
    close: async () => undefined,
  };
  const limits: Pick<Parameters<typeof createAnswering>[0], "searches" | "modelQuota"> = {
    searches: (_, work) => work(),
    modelQuota: { of: () => UNMETERED },
  };
  const retrieval = { db, search: db, sealer, outbound, log, floors: createCosineFloors(), ...limits };
  const newAnswering = () => createAnswering({ ...retrieval, statistics: createStatisticsCache(db) });
  const turns = {
    ...shared,
    sealer,
    openAnswering: newAnswering(),
    commit: conversations.commitTogether(db, log),
    turnEnds: conversations.createTurnEnds(),
  };
  const limit = delivery.createConcurrencyLimit({
    inFlightMax: 100,
    destinationMax: 100,
    liveWorkers: () => 1,
  });
  const tripRule = delivery.createTripRule(() => now);
  const backlogRate = delivery.createBacklogRateLimit({ now: () => now, sleep: () => Promise.resolve() });
  const capacity = delivery.createCapacityWaker({ ...shared, limit, backlogRate });
  /** Each invocation goes to a worker of its own: what two of them do at the same moment shares no statement. */
  const openWorker = (): EngineObject[] => {
    const sending = {
      ...shared,
      openDestination: createDestinationOpener(sealer),
      events,
      claim: delivery.createLaneClaimer(db, log),
      recorder: delivery.createAttemptRecorder(db, log),
      limit,
      tripRule,
      capacity,
      backlogRate,
      policies: { ...delivery.commonPolicies(TIMES), ...handoff.deskCallPolicies({ ...shared, ...TIMES }) },
      outbound,
    };
    const drain: DrainLane = async (work, claim) => {
      try {
        await delivery.drainLane(sending, work, claim);
      } catch (error) {
        if (error instanceof Fault) world.cutOffLanes.add(work.id);
        throw error;
      }
    };
    return [
      delivery.laneObject(sending),
      delivery.destinationObject({ ...shared, capacity, timeoutMs: TIMEOUT_MS }),
      conversations.turnObject({ ...shared, openAnswering: newAnswering(), drain }),
      handoff.handoffObject({ ...shared, drain }),
    ].map(watched);
  };
  const sweepParts = { ...shared, graceMs: GRACE_MS, expireMs: 86_400_000, events };
  const sweeps = [
    ...delivery.laneSweeps(sweepParts),
    ...conversations.turnSweeps(sweepParts),
    ...handoff.handoffSweeps(sweepParts),
  ];
  return world;

  async function observed<Reply>(call: Promise<Reply | Refusal>): Promise<Reply | Refusal | Crash> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof Crash) return error;
      world.surprises.push(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  function watched(object: EngineObject): EngineObject {
    const handlers = Object.entries(object.handlers).map(([name, handle]) => [
      name,
      async (work: Parameters<typeof handle>[0]) => {
        try {
          await handle(work);
        } catch (error) {
          if (!(error instanceof Fault)) world.surprises.push(`${object.name}: ${String(error)}`);
          else if (object.name === "lane") world.cutOffLanes.add(work.id);
          throw error;
        }
      },
    ]);
    return { ...object, handlers: Object.fromEntries(handlers) as EngineObject["handlers"] };
  }

  async function perform({ calls, alarm, tries, isShared }: Invocation): Promise<void> {
    if (alarm !== undefined) return handoff.handoffAlarm(shared).ring(alarm);
    const ended = new AbortController().signal;
    const objects = openWorker();
    if (isShared) {
      const run = engineRoom.createBatchRunner({ objects, sender: engine, log });
      await run({ calls: calls.map(engineRoom.writeCall), tries }, ended);
      return;
    }
    for (const { object, handler, key, id: callId } of calls) {
      const [agent = "", id = ""] = key.split(".");
      await objects
        .find(({ name }) => name === object)
        ?.handlers[handler]?.({ agentId: agent, id, callId, ended });
    }
  }

  /** It arrives at one moment and its answer at another; in between anything may happen. */
  async function post({
    url,
    body,
    headers,
  }: {
    url: string;
    body: Buffer;
    headers: Record<string, string>;
  }) {
    const call = url.endsWith("/messages")
      ? "message"
      : url.endsWith("/establish")
        ? "establish"
        : url.endsWith("/chat")
          ? "chat"
          : "close";
    const behaviour = world.behave(call);
    const webhookId = headers["webhook-id"] ?? "";
    if (sent.has(webhookId) && !world.mayRepeat) world.repeats.push(`${call} ${webhookId}`);
    sent.add(webhookId);
    await schedule.step(async () => {
      if (behaviour === "unreachable") return;
      world.arrivals.push({
        call,
        webhookId,
        body: JSON.parse(body.toString("utf8")) as Arrival["body"],
      });
    });
    return schedule.step(async () => {
      if (behaviour !== "ok") sent.delete(webhookId);
      if (behaviour === "lost" || behaviour === "unreachable") {
        const cause = behaviour === "lost" ? "connection_lost" : "connect_refused";
        return { kind: "unanswered", cause, detail: "" } as const;
      }
      const status = behaviour === "ok" ? 200 : 503;
      const answer = Buffer.from('{"code":200,"msg":"success"}');
      return { kind: "answered", status, body: answer, retryAfter: undefined, date: undefined } as const;
    });
  }
}
