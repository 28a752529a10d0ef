import { objectKey, type Engine } from "../engine/index.ts";
import type { Database, Log } from "../platform/index.ts";
import { wakeParked } from "./parking.ts";

/** Lanes that this worker parked because there was no room: a place that becomes free is theirs. */
export interface RoomWaker {
  parked(destinationId: string): void;
  left(agentId: string, destinationId: string): void;
}

/** More than one at a time, because some lanes will have little to send. */
const AT_ONCE = 4;

export function createRoomWaker({ db, engine, log }: { db: Database; engine: Engine; log: Log }): RoomWaker {
  const waiting = new Set<string>();
  const waking = new Set<string>();

  async function wake(agentId: string, destinationId: string): Promise<void> {
    waking.add(destinationId);
    try {
      const laneIds = await wakeParked(db, agentId, destinationId, AT_ONCE, "recovered");
      if (laneIds.length < AT_ONCE) waiting.delete(destinationId);
      await Promise.all(laneIds.map((laneId) => engine.send("lane", "drain", objectKey(agentId, laneId))));
    } catch (error) {
      log.debug({ err: error, destinationId }, "no lane was woken; the reconciler will");
    } finally {
      waking.delete(destinationId);
    }
  }

  return {
    parked: (destinationId) => void waiting.add(destinationId),
    left(agentId, destinationId) {
      if (waiting.has(destinationId) && !waking.has(destinationId)) void wake(agentId, destinationId);
    },
  };
}
