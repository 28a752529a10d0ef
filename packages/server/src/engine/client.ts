import { Pool } from "undici";
import { createBriefCache, createGroupCommit, newId } from "../platform/index.ts";
import { ALARM_SERVICE, alarmSlotOf } from "./alarm.ts";
import { mayShare, writeCall, type Batch, type Call } from "./call.ts";
import { isObjectKey, type ObjectKey } from "./object-key.ts";

/** Sends calls to the engine. Only ids go in; the handler reads the rest from PostgreSQL. */
export interface Engine {
  /**
   * Calls a handler one way, now or after a delay. False means the engine did not take it, which is logged and counted
   * here: the caller goes on, because the reconciler makes every call that was lost.
   */
  send(object: string, handler: string, key: ObjectKey, delayMs?: number): Promise<boolean>;
  /**
   * Rings an alarm once the slot of `dueAt` has passed, both times by the database's clock. Setting it again for the same slot
   * changes nothing. False as above.
   */
  setAlarm(alarm: string, dueAt: number, at: number): Promise<boolean>;
  /** Undefined when the engine takes a call; otherwise the cause, as of a call that failed. */
  probe(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** For the code that runs calls, and repeats some of them under their own ids. */
export interface CallSender {
  /** As an invocation of its own, one at a time for its key. */
  sendAlone(call: Call, delayMs: number): Promise<boolean>;
  sendBatch(calls: readonly Call[], tries: number, delayMs: number): Promise<boolean>;
}

const TIMEOUT_MS = 5_000;
/** The engine would drop the second of two equal alarms itself; this saves asking. Not for longer, because an engine can lose its data. */
const ALARMS_SET = { forMs: 60_000, most: 10_000 };
const NOT_FOUND = "HTTP 404";

/** Few at a time wait for a worker, and they are spread over the engine's partitions. */
const PROBE_KEYS = 8;

/** A call that the engine did not take, and why: its status, or the code of the error. */
export interface SendFailure {
  object: string;
  handler: string;
  cause: string;
}

export interface EngineOptions {
  ingressUrl: string;
  onSendFailure?: (failure: SendFailure) => void;
}

export function openEngine(options: EngineOptions): Engine & CallSender {
  const { ingressUrl, onSendFailure = () => undefined } = options;
  const open = (connections: number) =>
    new Pool(new URL(ingressUrl).origin, {
      connections,
      keepAliveTimeout: 30_000,
      connectTimeout: TIMEOUT_MS,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
  const pool = open(32);
  // Calls that hang would keep a probe waiting.
  const ofProbes = open(1);
  let probes = 0;

  /** Undefined when it succeeds. */
  async function failureOf(
    method: "GET" | "POST",
    path: string,
    body?: unknown,
    idempotencyKey?: string,
    by = pool,
  ): Promise<string | undefined> {
    try {
      const response = await by.request({ method, path, ...requestOf(body, idempotencyKey) });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300
        ? undefined
        : `HTTP ${response.statusCode}`;
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  }

  function isTaken(calls: readonly Pick<Call, "object" | "handler">[], cause: string | undefined): boolean {
    if (cause === undefined) return true;
    for (const { object, handler } of calls) onSendFailure({ object, handler, cause });
    return false;
  }

  async function post(call: Omit<Call, "id">, delayMs: number, id?: string): Promise<boolean> {
    const { object, handler, key } = call;
    return isTaken(
      [call],
      await failureOf("POST", `/${object}/${key}/${handler}/send${delayOf(delayMs)}`, id),
    );
  }

  async function sendBatch(calls: readonly Call[], tries: number, delayMs: number): Promise<boolean> {
    const batch: Batch = { calls: calls.map(writeCall), tries };
    const cause = await failureOf("POST", `/batch/run/send${delayOf(delayMs)}`, batch);
    if (cause !== NOT_FOUND) return isTaken(calls, cause);
    // An engine that was told by workers of an earlier version knows each object, and not yet the batch.
    const taken = await Promise.all(calls.map((call) => post(call, delayMs, call.id)));
    return taken.every(Boolean);
  }

  /** As messages share a commit: what comes while a request is under way is in the next, and nobody waits for a timer. */
  const sendTogether = createGroupCommit<Call, boolean>({
    groupOf: ({ object }) => object,
    write: async (_, calls) => {
      const taken = await sendBatch(calls, 0, 0);
      return calls.map(() => taken);
    },
    // A second call finds nothing to do.
    readBack: "repeatable",
  });

  const setOnce = createBriefCache<void>(ALARMS_SET);

  async function setAlarm(alarm: string, dueAt: number, at: number): Promise<boolean> {
    const slot = alarmSlotOf(dueAt);
    const key = `${alarm}-${slot.untilMs}`;
    try {
      await setOnce(key, async () => {
        const path = `/${ALARM_SERVICE}/${alarm}/send${delayOf(slot.untilMs - at)}`;
        const cause = await failureOf("POST", path, slot, key);
        if (!isTaken([{ object: ALARM_SERVICE, handler: alarm }], cause)) throw new Error(cause);
      });
      return true;
    } catch {
      return false;
    }
  }

  /** An engine that has lost its quorum still answers its health check, and takes no call: an empty one shows it. */
  async function probe(): Promise<string | undefined> {
    const unhealthy = await failureOf("GET", "/restate/health", undefined, undefined, ofProbes);
    if (unhealthy !== undefined) return unhealthy;
    const key = `probe-${probes++ % PROBE_KEYS}`;
    const nothing: Batch = { calls: [], tries: 0 };
    const cause = await failureOf("POST", "/batch/run/send", nothing, key, ofProbes);
    // It answers, and was not told of any worker yet.
    return cause === NOT_FOUND ? undefined : cause;
  }

  return {
    setAlarm,
    async send(object, handler, key, delayMs = 0) {
      if (!isObjectKey(key)) throw new Error("only ids enter the engine");
      return delayMs > 0 || !mayShare(object)
        ? post({ object, handler, key }, delayMs)
        : sendTogether({ object, handler, key, id: newId() });
    },
    sendAlone: (call, delayMs) => post(call, delayMs, call.id),
    sendBatch,
    probe,
    close: async () => void (await Promise.all([pool.close(), ofProbes.close()])),
  };
}

function delayOf(delayMs: number): string {
  return delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : "";
}

function requestOf(body: unknown, idempotencyKey: string | undefined) {
  return {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
  };
}
