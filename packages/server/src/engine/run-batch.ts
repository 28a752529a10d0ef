import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../platform/index.ts";
import { readCall, TRIES_MAX, type Batch, type Call } from "./call.ts";
import type { CallSender } from "./client.ts";
import { readObjectKey } from "./object-key.ts";
import type { EngineObject } from "./engine-object.ts";

export interface BatchParts {
  objects: readonly EngineObject[];
  sender: CallSender;
  log: Log;
}

export type RunBatch = (batch: Batch, ended: AbortSignal) => Promise<void>;

/** In an outage calls fail together: those that fail within this time are made again together. */
const GATHER_MS = 50;
const RETRY_MS = { first: 200, most: 2_000 };
const CALLS_MAX = 200;

/**
 * Runs calls that share an invocation, side by side. One that fails is made again under its own id, by itself or with those that
 * failed with it, and the others are done with. The invocation as a whole fails only when a retry could not be handed over: the engine then
 * makes all of its calls again, and those that were done find nothing to do.
 */
export function createBatchRunner({ objects, sender, log }: BatchParts): RunBatch {
  const handlers = new Map<string, EngineObject["handlers"][string]>(
    objects.flatMap(({ name, handlers: bodies }) =>
      Object.entries(bodies).map(([handler, body]) => [`${name}/${handler}`, body] as const),
    ),
  );
  const retry = gatherRetries(sender, log);

  async function run(call: Call, tries: number, ended: AbortSignal): Promise<boolean> {
    const { object, handler, key, id: callId } = call;
    const row = readObjectKey(key);
    const body = handlers.get(`${object}/${handler}`);
    if (row === undefined || body === undefined) {
      log.error("engine_call_unknown", { object, handler, key });
      return true;
    }
    try {
      await body({ ...row, callId, ended, goAlone: () => sender.sendAlone(call, 0) });
      return true;
    } catch (error) {
      log.warn("engine_call_failed", { err: error, object, handler, ...row });
      return retry(call, tries);
    }
  }

  return async ({ calls, tries }, ended) => {
    const readable = calls.flatMap((text) => readCall(text) ?? []);
    const isDone = await Promise.all(readable.map((call) => run(call, tries, ended)));
    if (isDone.includes(false)) throw new Error("the engine took no retry of a call that failed");
  };
}

function gatherRetries(sender: CallSender, log: Log): (call: Call, tries: number) => Promise<boolean> {
  const gathered = new Map<number, { calls: Call[]; taken: Promise<boolean> }>();

  async function send(calls: Call[], tries: number): Promise<boolean> {
    if (tries + 1 >= TRIES_MAX) {
      log.warn("engine_calls_given_up", { calls: calls.length, tries: tries + 1 });
      return true;
    }
    const delayMs = Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most);
    const [only, ...others] = calls;
    // Whatever is wrong with it is its own: its retries share nothing with anybody.
    if (only !== undefined && others.length === 0) return sender.sendAlone(only, delayMs);
    const batches = Array.from({ length: Math.ceil(calls.length / CALLS_MAX) }, (_, index) =>
      calls.slice(index * CALLS_MAX, (index + 1) * CALLS_MAX),
    );
    const taken = await Promise.all(batches.map((batch) => sender.sendBatch(batch, tries + 1, delayMs)));
    return taken.every(Boolean);
  }

  return (call, tries) => {
    const open = gathered.get(tries);
    if (open !== undefined) {
      open.calls.push(call);
      return open.taken;
    }
    const calls = [call];
    const taken = sleep(GATHER_MS).then(() => {
      gathered.delete(tries);
      return send(calls, tries);
    });
    gathered.set(tries, { calls, taken });
    return taken;
  };
}
