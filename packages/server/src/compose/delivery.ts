import { setTimeout as sleep } from "node:timers/promises";
import { auditRead } from "../agents/index.ts";
import * as delivery from "../delivery/index.ts";
import type { EngineObject, Sweep } from "../engine/index.ts";
import { createCallSettler } from "../handoff/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import { Refusal } from "../platform/index.ts";
import { createDestinationOpener } from "../webhooks/index.ts";
import type { RouteParts } from "./handlers.ts";
import type { WorkerParts } from "./worker.ts";

export function deliveryRoutes({ operating }: RouteParts) {
  return {
    listDeliveries: (_, input) => delivery.listDeliveries(operating, input),
    getDelivery: async (from, input) => {
      const found = await delivery.getDelivery(operating, input);
      const read = { action: "delivery.read", subjectId: input.delivery_id };
      return found instanceof Refusal
        ? found
        : auditRead(operating, from, { ...read, agentId: found.agent_id }, found);
    },
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
  const now = () => performance.now();
  const gate = delivery.createDestinationGate({
    ...config.delivery,
    liveWorkers: delivery.countWorkers(db, stopping, log),
    now,
  });
  const pace = delivery.createBacklogPace({ now, sleep });
  const room = delivery.createRoomWaker({ ...shared, gate, pace });
  const parts: delivery.DrainParts = {
    ...shared,
    outbound: outbound.webhooks,
    claim: delivery.createLaneClaimer(db, log),
    recorder: delivery.createAttemptRecorder(db, log),
    settleHandoffCall: createCallSettler(shared),
    gate,
    room,
    pace,
    events: delivery.createOperatorEvents(shared),
    openDestination: createDestinationOpener(sealer),
    timeoutMs,
    policy: retry,
  };
  const objects = [
    delivery.laneObject(parts),
    delivery.destinationObject({ ...shared, room, timeoutMs }),
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
