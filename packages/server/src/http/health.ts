import type { PartStatus, ServicePart } from "@signalbox/contract";
import type { DatabaseFacts } from "./database-facts.ts";

/** Whether the service can do its work, asked of the parts themselves and remembered for a moment. */
export interface Health {
  /** 4.4: the service as a whole works normally. */
  isNormal(): Promise<boolean>;
  /** A balancer may send requests here: this node accepts messages, whoever answers and delivers them later. */
  isReady(): Promise<boolean>;
  /** Every part, with what is wrong and what to do. */
  examine(): Promise<PartStatus[]>;
}

export interface HealthParts {
  askDatabase: () => Promise<DatabaseFacts>;
  engineSilentMs: () => number;
  draining: AbortSignal;
}

/** Rule 4.4 as decided: a database that refuses is seen within 2 s, and is asked at most once a second. */
const REMEMBERED_MS = 1_000;
const ANSWER_WITHIN_MS = 900;
const ENGINE_SILENT_MAX_MS = 30_000;
/** Three heartbeats. A worker that is replaced within this time is not missed. */
const WORKER_SILENT_MAX_MS = 15_000;
const LATE_MAX_MS = 60_000;

export function createHealth({ askDatabase, engineSilentMs, draining }: HealthParts): Health {
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
    const facts = await database();
    return [
      databasePart(facts),
      enginePart(engineSilentMs()),
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

function enginePart(silentMs: number): PartStatus {
  if (silentMs <= ENGINE_SILENT_MAX_MS) return normal("engine", "Restate answers.");
  return failed(
    "engine",
    `Restate has not answered for ${seconds(silentMs)}.`,
    "Check that Restate runs and that this node reaches it at ENGINE_INGRESS_URL. Until then messages are accepted and wait.",
  );
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
  if (facts.turnLateMs <= LATE_MAX_MS) return normal("turns", "No message waits long for its answer.");
  return failed(
    "turns",
    `The oldest unanswered message has waited for ${seconds(facts.turnLateMs)}.`,
    "Look at the log of the workers, and at the models of the agents: a message waits while its model does not answer.",
  );
}

function deliveriesPart(facts: DatabaseFacts | undefined): PartStatus {
  if (facts === undefined) return unknown("deliveries");
  if (facts.deliveryLateMs <= LATE_MAX_MS) return normal("deliveries", "No delivery is late.");
  return failed(
    "deliveries",
    `The oldest due delivery is ${seconds(facts.deliveryLateMs)} late.`,
    "Look at the log of the workers: signalbox deliveries --state pending lists what waits.",
  );
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

function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
