import type { PartStatus, ServicePart } from "@signalbox/contract";
import { LATE_MS, type DatabaseFacts, type LateWork } from "./database-facts.ts";

/** Whether the service can do its work, asked of the parts themselves and remembered for a moment. */
export interface Health {
  /** 4.4: the service as a whole works normally. */
  isNormal(): Promise<boolean>;
  /** A balancer may send requests here: this node accepts messages, whichever node answers and delivers them later. */
  isReady(): Promise<boolean>;
  /** Every part, with what is wrong and what to do. */
  examine(): Promise<PartStatus[]>;
}

/** What this process knows of the engine. */
export interface EngineFacts {
  /** Since it last took a call; since this process began, if it never did. */
  silentMs: number;
  /** It took a call of this process at least once. */
  hasAnswered: boolean;
  /** Calls fail at once, as while it restarts. Otherwise they time out, as without a quorum. */
  refuses: boolean;
}

export interface HealthParts {
  askDatabase: () => Promise<DatabaseFacts>;
  /** What is known once it was called for the first time. */
  askEngine: () => Promise<EngineFacts>;
  draining: AbortSignal;
}

/** Rule 4.4 as decided: a database that refuses is seen within 2 s, and is asked at most once a second. */
const REMEMBERED_MS = 1_000;
export const ANSWER_WITHIN_MS = 900;
/** An engine that refuses calls may be restarting; one that lets them time out is stuck, or has lost its quorum. */
const ENGINE_SILENT_MAX_MS = { refusing: 30_000, timingOut: 10_000 };
/** Three heartbeats. A worker that is replaced within this time is not missed. */
const WORKER_SILENT_MAX_MS = 15_000;
/**
 * Work is late as a whole when at least this many turns or lanes are, of this many agents (or of the only one), and of this
 * share of the agents that had any. One agent that is behind, or sends more than its share, is no outage.
 */
const LATE_LEAST = { items: 5, agents: 2, share: 0.5 };

export function createHealth({ askDatabase, askEngine, draining }: HealthParts): Health {
  let askedAt = -Infinity;
  let answer = Promise.resolve<DatabaseFacts | undefined>(undefined);

  /** Undefined when it does not answer. */
  function database(): Promise<DatabaseFacts | undefined> {
    const now = performance.now();
    if (now - askedAt >= REMEMBERED_MS) {
      askedAt = now;
      answer = within(ANSWER_WITHIN_MS, askDatabase()).catch(() => undefined);
    }
    return answer;
  }

  async function examine(): Promise<PartStatus[]> {
    const [facts, engine] = await Promise.all([
      database(),
      within(ANSWER_WITHIN_MS, askEngine()).catch(() => undefined),
    ]);
    return [
      databasePart(facts),
      enginePart(engine),
      workersPart(facts),
      turnsPart(facts),
      deliveriesPart(facts),
    ];
  }

  return {
    examine,
    isNormal: async () => (await examine()).every(({ state }) => state === "normal"),
    isReady: async () => !draining.aborted && (await database())?.takesWork === true,
  };
}

function databasePart(facts: DatabaseFacts | undefined): PartStatus {
  if (facts?.takesWork === true) return normal("database", "PostgreSQL takes work.");
  return failed(
    "database",
    facts === undefined ? "PostgreSQL does not answer." : "PostgreSQL answers but is read-only.",
    "Check that PostgreSQL runs and that DATABASE_URL names its primary. Until then messages are refused.",
  );
}

function enginePart(engine: EngineFacts | undefined): PartStatus {
  const advice =
    "Check that Restate runs, with most nodes of its cluster (its quorum), and that this node reaches it at ENGINE_INGRESS_URL. Until then messages are accepted and wait.";
  if (engine?.hasAnswered !== true)
    return failed("engine", "Restate has taken no call since this process started.", advice);
  const { silentMs, refuses } = engine;
  if (silentMs <= ENGINE_SILENT_MAX_MS[refuses ? "refusing" : "timingOut"])
    return normal("engine", "Restate takes calls.");
  const how = refuses ? "refuses calls" : "lets calls time out";
  return failed("engine", `Restate ${how}: it has taken none for ${seconds(silentMs)}.`, advice);
}

function workersPart(facts: DatabaseFacts | undefined): PartStatus {
  if (facts === undefined) return unknown("workers");
  const { workerSilentMs } = facts;
  // A heartbeat of the future is one from before the clock was set back.
  if (workerSilentMs !== undefined && Math.abs(workerSilentMs) <= WORKER_SILENT_MAX_MS)
    return normal("workers", "At least one worker sends heartbeats.");
  return failed(
    "workers",
    workerSilentMs === undefined
      ? "No worker has ever started."
      : `No worker has sent a heartbeat for ${seconds(workerSilentMs)}.`,
    "Start a worker: signalbox serve worker. Until then messages are accepted and wait.",
  );
}

function turnsPart(facts: DatabaseFacts | undefined): PartStatus {
  if (facts === undefined) return unknown("turns");
  const { turns, agents } = facts;
  if (!isLateAsAWhole(turns, agents))
    return normal(
      "turns",
      turns.oldestMs <= LATE_MS
        ? "Messages are answered in time."
        : `Messages are answered in time, except ${some(turns.late, "conversation")}: the oldest message has waited for ${seconds(turns.oldestMs)}.`,
    );
  return failed(
    "turns",
    `${some(turns.late, "conversation")} of ${some(turns.lateAgents, "agent")} have waited for over ${seconds(LATE_MS)}, the oldest message for ${seconds(turns.oldestMs)}.`,
    "Look at the log of the workers, at Restate and its quorum, and at the models of the agents: a message waits while its model does not answer.",
  );
}

function deliveriesPart(facts: DatabaseFacts | undefined): PartStatus {
  if (facts === undefined) return unknown("deliveries");
  const { deliveries, agents } = facts;
  if (!isLateAsAWhole(deliveries, agents))
    return normal(
      "deliveries",
      deliveries.oldestMs <= LATE_MS
        ? "Deliveries are on time."
        : `Deliveries are on time, except in ${some(deliveries.late, "lane")}: the oldest is ${seconds(deliveries.oldestMs)} late.`,
    );
  return failed(
    "deliveries",
    `${some(deliveries.late, "lane")} of ${some(deliveries.lateAgents, "agent")} are over ${seconds(LATE_MS)} late, the oldest delivery ${seconds(deliveries.oldestMs)}.`,
    "Look at the log of the workers, and at Restate and its quorum: signalbox deliveries --state pending lists what waits.",
  );
}

function isLateAsAWhole({ late, lateAgents, servedAgents }: LateWork, agents: number): boolean {
  const { items, agents: agentsLeast, share } = LATE_LEAST;
  return (
    late >= items &&
    lateAgents >= Math.max(1, Math.min(agentsLeast, agents)) &&
    lateAgents >= share * (lateAgents + servedAgents)
  );
}

function some(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function normal(part: ServicePart, message: string): PartStatus {
  return { part, state: "normal", message, advice: null };
}

function failed(part: ServicePart, message: string, advice: string): PartStatus {
  return { part, state: "failed", message, advice };
}

function unknown(part: ServicePart): PartStatus {
  return { part, state: "unknown", message: "Not known while PostgreSQL does not answer.", advice: null };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

export function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
