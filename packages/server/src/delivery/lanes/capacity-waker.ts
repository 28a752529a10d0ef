import { objectKey, type Engine } from "../../engine/index.ts";
import type { Database, Log } from "../../platform/index.ts";
import type { BacklogRateLimit } from "../destinations/backlog-rate-limit.ts";
import type { ConcurrencyLimit } from "../destinations/concurrency-limit.ts";
import { wakeMoreLanes } from "./parking.ts";

/** Wakes lanes that are parked for lack of capacity: as one comes to rest, another may run. */
export interface CapacityWaker {
  /** A lane was parked because this worker had no capacity for its destination. */
  onLaneParked(destinationId: string): void;
  onLaneIdle(agentId: string, destinationId: string): void;
  /** Keeps `awakeMost` lanes at work, now and as they come to rest. False when no more are parked. */
  fill(agentId: string, destinationId: string, awakeMost: number): Promise<boolean>;
}

export interface CapacityWakerParts {
  db: Database;
  engine: Engine;
  log: Log;
  limit: ConcurrencyLimit;
  backlogRate: BacklogRateLimit;
}

/** A backlog keeps at least two lanes at work, or it would never drain. */
export const AWAKE_MIN = 2;

export function createCapacityWaker({
  db,
  engine,
  log,
  limit,
  backlogRate,
}: CapacityWakerParts): CapacityWaker {
  const allowed = new Map<string, number>();
  /** Destinations whose lanes are being woken; true when another lane came to rest meanwhile. */
  const waking = new Map<string, boolean>();

  async function wake(agentId: string, destinationId: string): Promise<boolean> {
    const most = Math.min(
      allowed.get(destinationId) ?? 0,
      limit.capacityOf(destinationId),
      backlogRate.lanesMost(),
    );
    const awakeMost = Math.max(AWAKE_MIN, most);
    const { laneIds, mayBeMore } = await wakeMoreLanes(db, agentId, destinationId, awakeMost);
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
    onLaneParked: (destinationId) => void allowed.set(destinationId, Infinity),
    onLaneIdle(agentId, destinationId) {
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
