import { objectKey, type Engine, type EngineObject, type Work } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import {
  declareWell,
  keepRecoveryStep,
  readDestination,
  scheduleTry,
  tryDelayMs,
} from "./destination-store.ts";
import { wakeToTry } from "./parking.ts";
import { AWAKE_MIN, type RoomWaker } from "./room-waker.ts";

export interface DestinationParts {
  db: Database;
  engine: Engine;
  room: RoomWaker;
  /** One attempt at a webhook. */
  timeoutMs: number;
}

/** Each step of a recovery has twice as many lanes at work as the one before: 4, 8, 16 and so on. */
const STEP_MAX = 7;
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
  const laneId = await wakeToTry(db, agentId, id);
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
async function recoverDestination(
  { db, engine, room }: DestinationParts,
  { agentId, id }: Work,
): Promise<void> {
  const found = await readDestination(db, id);
  if (found !== undefined && found.breaker !== "closed") return;
  // One that was never down has lanes that waited for room: its answers alone say how many may come.
  const step = Math.min(STEP_MAX, (found?.recoveryStep ?? STEP_MAX) + 1);
  if (!(await room.fill(agentId, id, AWAKE_MIN * 2 ** step))) return;
  await keepRecoveryStep(db, id, step);
  await engine.send("destination", "recover", objectKey(agentId, id), STEP_EVERY_MS);
}
