import { objectKey, type Engine, type EngineObject, type Work } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { AWAKE_MIN, type CapacityWaker } from "./capacity-waker.ts";
import { wakeToProbe } from "./parking.ts";
import { probeDelayMs } from "../attempts/retry-schedule.ts";
import {
  storeClosedBreaker,
  keepRecoveryStep,
  readDestination,
  storeNextProbe,
} from "../destinations/destination-store.ts";

export interface DestinationParts {
  db: Database;
  engine: Engine;
  capacity: CapacityWaker;
  /** One attempt at a webhook. */
  timeoutMs: number;
}

/** Each step of a recovery has twice as many lanes at work as the one before: 4, 8, 16 and so on. */
const STEP_MAX = 7;
const STEP_EVERY_MS = 250;
const NOTHING_TO_PROBE_MS = 30_000;
const LONGEST_MS = 60_000;

/** Half-open probes while the breaker is open, and the paced recovery. A dead destination costs one probe at a time. */
export function destinationObject(parts: DestinationParts): EngineObject {
  return {
    name: "destination",
    longestMs: LONGEST_MS,
    handlers: {
      try: (work) => probeDestination(parts, work),
      recover: (work) => recoverDestination(parts, work),
    },
  };
}

/** Wakes the lane that has waited longest to send one message: that lane's own drain is the probe. */
async function probeDestination(
  { db, engine, timeoutMs }: DestinationParts,
  { agentId, id }: Work,
): Promise<void> {
  const key = objectKey(agentId, id);
  const found = await readDestination(db, id);
  if (found === undefined || found.breaker !== "open") return;
  if (found.tryInMs > 0) {
    await engine.send("destination", "try", key, found.tryInMs);
    return;
  }
  const laneId = await wakeToProbe(db, agentId, id);
  if (laneId === undefined) {
    // Nothing waits for it: the next message will show how it is.
    if (await storeClosedBreaker(db, id, "open"))
      await engine.send("destination", "recover", key, NOTHING_TO_PROBE_MS);
    return;
  }
  // The drain says what comes next; this stands in case its worker dies.
  await storeNextProbe(db, id, timeoutMs + probeDelayMs(found.tries, Math.random()), 1);
  await engine.send("lane", "drain", objectKey(agentId, laneId));
}

/** Wakes parked lanes at a growing pace, so that one that has just come back is not knocked over by its own backlog. */
async function recoverDestination(
  { db, engine, capacity }: DestinationParts,
  { agentId, id }: Work,
): Promise<void> {
  const found = await readDestination(db, id);
  if (found !== undefined && found.breaker !== "closed") return;
  // A destination that was never down has lanes parked for capacity: the concurrency limit alone says how many may run.
  const step = Math.min(STEP_MAX, (found?.recoveryStep ?? STEP_MAX) + 1);
  if (!(await capacity.fill(agentId, id, AWAKE_MIN * 2 ** step))) return;
  await keepRecoveryStep(db, id, step);
  await engine.send("destination", "recover", objectKey(agentId, id), STEP_EVERY_MS);
}
