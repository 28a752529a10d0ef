import { objectKey, type Engine } from "../engine/index.ts";
import type { Database, Log } from "../platform/index.ts";
import type { BacklogPace } from "./backlog-pace.ts";
import type { DestinationGate } from "./destination-gate.ts";
import { topUpAwake } from "./parking.ts";

/** Lanes that wait for room at their destination: as one comes to rest, another may come. */
export interface RoomWaker {
  /** A lane was parked here because there was no room. */
  parked(destinationId: string): void;
  rested(agentId: string, destinationId: string): void;
  /** Wakes lanes until so many are at work, now and as they come to rest. False when no more are parked. */
  fill(agentId: string, destinationId: string, awakeMost: number): Promise<boolean>;
}

export interface RoomWakerParts {
  db: Database;
  engine: Engine;
  log: Log;
  gate: DestinationGate;
  pace: BacklogPace;
}

/** So many are at work whatever a destination's answers allow: a backlog that stood still would never end. */
export const AWAKE_MIN = 2;

export function createRoomWaker({ db, engine, log, gate, pace }: RoomWakerParts): RoomWaker {
  const allowed = new Map<string, number>();
  /** Whether another lane came to rest while lanes were being woken. */
  const waking = new Map<string, boolean>();

  async function wake(agentId: string, destinationId: string): Promise<boolean> {
    const most = Math.min(allowed.get(destinationId) ?? 0, gate.placesAt(destinationId), pace.lanesMost());
    const awakeMost = Math.max(AWAKE_MIN, most);
    const { laneIds, mayBeMore } = await topUpAwake(db, agentId, destinationId, awakeMost);
    if (!mayBeMore) allowed.delete(destinationId);
    await Promise.all(laneIds.map((laneId) => engine.send("lane", "drain", objectKey(agentId, laneId))));
    return mayBeMore;
  }

  async function wakeNext(agentId: string, destinationId: string): Promise<void> {
    try {
      do {
        waking.set(destinationId, false);
        await wake(agentId, destinationId);
      } while (waking.get(destinationId));
    } catch (error) {
      log.debug("lane_wake_failed", { err: error, destinationId });
    } finally {
      waking.delete(destinationId);
    }
  }

  return {
    parked: (destinationId) => void allowed.set(destinationId, Infinity),
    rested(agentId, destinationId) {
      if (!allowed.has(destinationId)) return;
      if (waking.has(destinationId)) waking.set(destinationId, true);
      else void wakeNext(agentId, destinationId);
    },
    fill(agentId, destinationId, awakeMost) {
      allowed.set(destinationId, awakeMost);
      return wake(agentId, destinationId);
    },
  };
}
