import { objectKey, type Engine, type EngineObject, type Work } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import {
  declareWell,
  raiseRecoveryStep,
  readDestination,
  scheduleTry,
  tryDelayMs,
} from "./destination-store.ts";
import { wakeParked } from "./parking.ts";

export interface DestinationParts {
  db: Database;
  engine: Engine;
  /** One attempt at a webhook. */
  timeoutMs: number;
}

/** Lanes woken in the first step of a recovery; each step wakes twice as many as the one before. */
const STEP_START = 4;
const STEP_MAX = 256;
const STEP_EVERY_MS = 250;
const NOTHING_TO_TRY_MS = 30_000;
const LONGEST_MS = 60_000;

/** Tries while a destination is down, and its paced recovery. A dead destination costs one try at a time, whatever waits. */
export function destinationObject(parts: DestinationParts): EngineObject {
  return {
    name: "destination",
    longestMs: LONGEST_MS,
    handlers: {
      try: (work) => tryDestination(parts, work),
      recover: (work) => recoverDestination(parts, work),
    },
  };
}

/** Wakes the lane that has waited longest to send one message: that lane's own drain is the try. */
async function tryDestination(
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
  const [laneId] = await wakeParked(db, agentId, id, 1, "trying");
  if (laneId === undefined) {
    // Nothing waits for it: the next message will show how it is.
    if (await declareWell(db, id, "open"))
      await engine.send("destination", "recover", key, NOTHING_TO_TRY_MS);
    return;
  }
  // The drain says what comes next; this stands in case its worker dies.
  await scheduleTry(db, id, timeoutMs + tryDelayMs(found.tries, Math.random()), 1);
  await engine.send("lane", "drain", objectKey(agentId, laneId));
}

/** Wakes parked lanes at a growing pace, so that one that has just come back is not knocked over by its own backlog. */
async function recoverDestination({ db, engine }: DestinationParts, { agentId, id }: Work): Promise<void> {
  const found = await readDestination(db, id);
  if (found !== undefined && found.breaker !== "closed") return;
  const most = Math.min(STEP_MAX, STEP_START * 2 ** Math.min(found?.recoveryStep ?? 0, 10));
  const laneIds = await wakeParked(db, agentId, id, most, "recovered");
  await Promise.all(laneIds.map((laneId) => engine.send("lane", "drain", objectKey(agentId, laneId))));
  if (laneIds.length < most) return;
  await raiseRecoveryStep(db, id);
  await engine.send("destination", "recover", objectKey(agentId, id), STEP_EVERY_MS);
}
