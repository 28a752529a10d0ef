import { setTimeout as sleep } from "node:timers/promises";
import * as delivery from "../delivery/index.ts";
import type { EngineObject, Sweep } from "../engine/index.ts";
import { deskCallPolicies } from "../handoff/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import { createDestinationOpener } from "../webhooks/index.ts";
import type { RouteParts, WorkerParts } from "./parts.ts";

export function deliveryRoutes({ operating }: RouteParts) {
  return {
    listDeliveries: (from, input) => delivery.listDeliveries(operating, from, input),
    getDelivery: (from, input) => delivery.getDelivery(operating, from, input),
    replayDelivery: (from, input) => delivery.replayDelivery(operating, from, input),
    startReplay: (from, input) => delivery.startReplay(operating, from, input),
    getReplay: (_, input) => delivery.getReplay(operating, input),
    stopReplay: (from, input) => delivery.stopReplay(operating, from, input),
    listDestinations: (_, input) => delivery.listDestinations(operating, input),
    enableDestination: (from, input) => delivery.enableDestination(operating, from, input),
  } satisfies Partial<RouteHandlers>;
}

export function openDelivery({ config, shared, outbound, sealer }: WorkerParts): {
  objects: EngineObject[];
  drain: delivery.DrainLane;
} {
  const { db, log, stopping } = shared;
  const { timeoutMs, retry } = config.delivery;
  const times: delivery.DeliveryTimes = { timeoutMs, retry };
  const now = () => performance.now();
  const limit = delivery.createConcurrencyLimit({
    ...config.delivery,
    liveWorkers: delivery.startWorkerHeartbeat(db, stopping, log),
  });
  const backlogRate = delivery.createBacklogRateLimit({ now, sleep });
  const capacity = delivery.createCapacityWaker({ ...shared, limit, backlogRate });
  const parts: delivery.DrainParts = {
    ...shared,
    outbound: outbound.webhooks,
    claim: delivery.createLaneClaimer(db, log),
    recorder: delivery.createAttemptRecorder(db, log),
    limit,
    tripRule: delivery.createTripRule(now),
    capacity,
    backlogRate,
    events: delivery.createOperatorEvents(shared),
    openDestination: createDestinationOpener(sealer),
    policies: { ...delivery.commonPolicies(times), ...deskCallPolicies({ ...shared, ...times }) },
  };
  const objects = [
    delivery.laneObject(parts),
    delivery.destinationObject({ ...shared, capacity, timeoutMs }),
    delivery.replayObject(shared),
  ];
  const drain: delivery.DrainLane = (work, claim) => delivery.drainLane(parts, work, claim);
  return { objects, drain };
}

export function deliverySweeps({ config, shared, sweeping }: WorkerParts): Sweep[] {
  const { expireMs, retentionDays } = config.delivery;
  return [
    ...delivery.laneSweeps({ ...sweeping, expireMs, events: delivery.createOperatorEvents(shared) }),
    delivery.replaySweep(sweeping),
    delivery.retentionSweep({ db: shared.db, retentionDays }),
  ];
}
