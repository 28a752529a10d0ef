import { objectKey, type Engine } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { probeDelayMs } from "../attempts/retry-schedule.ts";
import {
  readDestination,
  storeClosedBreaker,
  storeNextProbe,
  storeOpenBreaker,
  type DestinationIdentity,
} from "./destination-store.ts";
import type { OperatorEvents } from "./operator-events.ts";

// The circuit breaker of a destination. Closed: attempts go out. Open: lanes are parked. Half-open: one lane at a time probes it.

/** When failures open the breaker, as this worker sees them. */
export interface TripRule {
  /** True when this failure shows that the destination as a whole does not answer. */
  note(destinationId: string, attempt: { isAlive: boolean; laneId: string }): boolean;
}

interface FailureRun {
  failures: number;
  sinceMs: number;
  laneId: string;
  hasSeveralLanes: boolean;
}

const FAILURES_TO_TRIP = 5;
/** One lane alone may have a message that its destination cannot take. */
const ONE_LANE_TRIPS_AFTER_MS = 10_000;
const REMEMBERED_MAX = 20_000;

export function createTripRule(now: () => number): TripRule {
  const runs = new Map<string, FailureRun>();
  return {
    note(destinationId, { isAlive, laneId }) {
      if (isAlive) {
        runs.delete(destinationId);
        return false;
      }
      if (runs.size >= REMEMBERED_MAX) runs.clear();
      const run = runs.get(destinationId) ?? { failures: 0, sinceMs: now(), laneId, hasSeveralLanes: false };
      const next = {
        failures: run.failures + 1,
        sinceMs: run.sinceMs,
        laneId,
        hasSeveralLanes: run.hasSeveralLanes || run.laneId !== laneId,
      };
      runs.set(destinationId, next);
      const isWhole = next.hasSeveralLanes || now() - next.sinceMs >= ONE_LANE_TRIPS_AFTER_MS;
      return next.failures >= FAILURES_TO_TRIP && isWhole;
    },
  };
}

export interface BreakerParts {
  db: Database;
  engine: Engine;
  events: OperatorEvents;
}

/** `open`: the destination does not answer. `disabled`: it answered 410 and stays shut until an operator enables it. */
export async function openBreaker(
  { db, engine, events }: BreakerParts,
  identity: DestinationIdentity,
  breaker: "open" | "disabled",
  retryAfterMs: number,
): Promise<void> {
  const probeInMs = Math.max(probeDelayMs(0, Math.random()), retryAfterMs);
  if (!(await storeOpenBreaker(db, identity, breaker, probeInMs))) return;
  await events.raise({
    kind: breaker === "open" ? "destination_failing" : "destination_disabled",
    ...identity,
  });
  if (breaker === "open") {
    await engine.send("destination", "try", objectKey(identity.agentId, identity.destinationId), probeInMs);
  }
}

/** The probe was answered: parked lanes are woken at a pace the destination can bear. */
export async function closeBreaker(
  { db, engine, events }: BreakerParts,
  identity: DestinationIdentity,
): Promise<void> {
  if (!(await storeClosedBreaker(db, identity.destinationId, "open"))) return;
  await events.raise({ kind: "destination_recovered", ...identity });
  await engine.send("destination", "recover", objectKey(identity.agentId, identity.destinationId));
}

/** Not before the developer's own Retry-After, whichever lane got it. */
export async function scheduleNextProbe(
  { db, engine }: BreakerParts,
  { agentId, destinationId }: DestinationIdentity,
  retryAfterMs: number,
): Promise<void> {
  const found = await readDestination(db, destinationId);
  if (found === undefined || found.breaker !== "open") return;
  const inMs = Math.max(probeDelayMs(found.tries, Math.random()), retryAfterMs);
  await storeNextProbe(db, destinationId, inMs, 0);
  await engine.send("destination", "try", objectKey(agentId, destinationId), inMs);
}
