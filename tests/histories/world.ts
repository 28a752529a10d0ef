import { randomUUID } from "node:crypto";
import { createAnswering } from "../../packages/server/src/answering/index.ts";
import type { DrainLane } from "../../packages/server/src/delivery/index.ts";
import {
  objectKey,
  type CallSender,
  type Engine,
  type EngineObject,
} from "../../packages/server/src/engine/index.ts";
import { createCosineFloors, createStatisticsCache } from "../../packages/server/src/knowledge/index.ts";
import {
  inTransaction,
  unmetered,
  type AgentDatabase,
  type Outbound,
  type Refusal,
} from "../../packages/server/src/platform/index.ts";
import { erasureObject, erasureSweep, eraseUser } from "../../packages/server/src/privacy/index.ts";
import { createDestinationOpener } from "../../packages/server/src/webhooks/index.ts";
import { openCallers, type CallersNode, type Mode } from "./callers.ts";
import { openClients, quiet } from "./clients.ts";
import { openDevelopers } from "./developers.ts";
import { AnswerLost, Crash, Fault, type Schedule } from "./schedule.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { openTeam, readAnswerers } from "./team.ts";
import {
  CALLER,
  log,
  metrics,
  nobody,
  OPERATOR,
  sealer,
  USER_ID,
  type Invocation,
  type Place,
  type Rooms,
} from "./world-parts.ts";
import type { World } from "./world-shape.ts";

const GRACE_MS = 5_000;
const TIMEOUT_MS = 10_000;
const TIMES = { timeoutMs: TIMEOUT_MS, retry: { delaysMs: [1_000, 3_000, 10_000], blockedMaxMs: 900_000 } };
/** No look of its own: time is what a history says. */
const NEVER_MS = 2_000_000_000;
const MOTION_SWEEPS = new Set(["lanes_overdue", "lanes_idle_with_pending", "turns_due"]);

/** One conversation, with everything the service does around it, spoken to by function calls in place of sockets. */
export function openWorld(
  database: SimulatedDatabase,
  { agentId, isInbox }: Place,
  [conversationId, ...neighbours]: [string, ...string[]],
  schedule: Schedule,
  rooms: Rooms,
): World {
  const { conversations, delivery, engine: engineRoom, handoff } = rooms;
  const { db, unscheduled } = database;
  const agents: AgentDatabase = {
    asAgent: (_, work) => inTransaction(db, work),
    asAgentOnce: (_, work) => inTransaction(db, work),
    asAgentsOnce: (_, work) => inTransaction(db, work),
    load: () => ({ size: 0, used: 0, waiting: 0, waitedSeconds: 0, statements: 0 }),
    close: async () => undefined,
  };
  let now = 0;
  /** Told by one node to all, and on its way until the round ends. */
  const words: string[] = [];
  const world: World = {
    agentId,
    conversationId,
    neighbours,
    arrivals: [],
    queue: [],
    cutOffLanes: new Set(),
    surprises: [],
    needsReconciler: false,
    mayRepeat: false,
    repeats: [],
    behave: () => "ok",
    isEngineAway: false,
    clients: openClients({
      database,
      agentId,
      conversationId,
      readPage: () => world.team?.readPage() ?? Promise.resolve([]),
    }),
    get callers() {
      return callers;
    },
    get team() {
      return team;
    },
    setNow: (ms) => void (now = ms),
    say: (text, beside) => {
      const acceptTogether = nextAcceptor();
      const sayIn = (conversation_id: string) =>
        observed(
          conversations.sendMessage({ ...caller, acceptTogether, turns }, from, {
            conversation_id,
            response_mode: "webhook",
            messages: [{ role: "user", content: text }],
          }),
        );
      return Promise.all([conversationId, ...neighbours.slice(0, beside)].map(sayIn));
    },
    request: () => observed(handoff.requestHandoff(caller, from, { conversation_id: conversationId })),
    leave: () => observed(handoff.leaveHandoff(caller, from, { conversation_id: conversationId })),
    reply: (conversation_id, timestamp, body) =>
      observed(handoff.receiveHumanMessage({ ...caller, db }, from, { conversation_id, timestamp, body })),
    close: (conversation_id) =>
      observed(handoff.closeByHuman({ ...caller, db }, from, { conversation_id, timestamp: 0 })),
    erase: () => observed(eraseUser(erasing, OPERATOR, { agent_id: agentId, user_id: USER_ID })),
    perform,
    async endRound(wasLong) {
      // A node that is told nothing looks for itself, when half a second has passed.
      const told = wasLong ? [...words, objectKey(agentId, conversationId)] : [...words];
      world.clients.told(words.splice(0));
      turns.control.changed(told);
      await quiet(unscheduled);
      await callers.rest();
      await world.clients.endRound(wasLong);
    },
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
    probe: async () => undefined,
    close: async () => undefined,
  };
  const broadcast = { tell: (word: string) => void words.push(word) };
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
    post: openDevelopers(world, schedule),
    stream: () => Promise.reject(new Error("the agent has no model")),
    close: async () => undefined,
  };
  const limits: Pick<Parameters<typeof createAnswering>[0], "searches" | "modelQuota"> = {
    searches: (_, work) => work(),
    modelQuota: { of: unmetered },
  };
  const retrieval = { db, search: db, sealer, outbound, log, floors: createCosineFloors(), ...limits };
  const newAnswering = () => createAnswering({ ...retrieval, statistics: createStatisticsCache(db) });
  const turns = {
    ...shared,
    sealer,
    openAnswering: newAnswering(),
    commit: conversations.commitTogether(db, log),
    turnEnds: conversations.createTurnEnds(),
    control: conversations.createControlWatch(unscheduled, log, NEVER_MS),
  };
  const sendTo = (mode: Mode, content: string, node: CallersNode) =>
    observed(
      conversations.sendMessage(
        { ...caller, acceptTogether: nextAcceptor(), turns: { ...turns, ...node } },
        from,
        { conversation_id: conversationId, response_mode: mode, messages: [{ role: "user", content }] },
      ),
    );
  const callers = openCallers({
    clients: world.clients,
    turnEnds: turns.turnEnds,
    conversationId,
    send: sendTo,
    onSurprise: (error) => void world.surprises.push(String(error)),
  });
  const team = isInbox
    ? openTeam({
        agentId,
        conversationId,
        db,
        unscheduled,
        broadcast,
        desk: { ...caller, db },
        arrivals: world.arrivals,
        inbox: rooms.inbox,
        observed,
      })
    : undefined;
  const erasing = { operator: { db, sealer }, engine, revokeChatTokens: nobody };
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
      erasureObject({ ...shared, graceDays: 30 }),
    ].map(watched);
  };
  const sweepParts = { ...shared, graceMs: GRACE_MS, expireMs: 86_400_000, events };
  const sweeps = [
    ...delivery.laneSweeps(sweepParts),
    ...conversations.turnSweeps(sweepParts),
    ...handoff.handoffSweeps(sweepParts),
    ...(isInbox ? rooms.inbox.inboxSweeps({ ...shared, readAnswerers }) : []),
    erasureSweep(sweepParts),
  ];
  return world;

  async function observed<Reply>(call: Promise<Reply | Refusal>): Promise<Reply | Refusal | Fault> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof Crash || error instanceof AnswerLost) return error;
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
}
