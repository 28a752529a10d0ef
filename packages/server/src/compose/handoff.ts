import type { Alarm, EngineObject, Sweep } from "../engine/index.ts";
import * as handoff from "../handoff/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import type { RouteParts, WorkerParts } from "./parts.ts";

export function handoffRoutes({ caller, operating, work }: RouteParts) {
  // Whose handoff a desk speaks of is known only once it was found, also without a key.
  const desk = { ...caller, db: work };
  return {
    requestHandoff: (from, input) => handoff.requestHandoff(caller, from, input),
    leaveHandoff: (from, input) => handoff.leaveHandoff(caller, from, input),
    getHandoff: (from, input) => handoff.getHandoff(caller, from, input),
    receiveHumanMessage: (from, input) => handoff.receiveHumanMessage(desk, from, input),
    typeAsHuman: (from, input) => handoff.typeAsHuman(desk, from, input),
    closeByHuman: (from, input) => handoff.closeByHuman(desk, from, input),

    setHandoffSettings: (from, input) => handoff.setHandoffSettings(operating, from, input),
    getHandoffSettings: (_, input) => handoff.getHandoffSettings(operating, input),
    listHandoffs: (_, input) => handoff.listHandoffs(operating, input),
  } satisfies Partial<RouteHandlers>;
}

export function handoffObjects(
  { shared }: WorkerParts,
  { drain }: Pick<handoff.HandoffObjectParts, "drain">,
): EngineObject[] {
  return [handoff.handoffObject({ ...shared, drain })];
}

export function handoffAlarms({ shared }: WorkerParts): Alarm[] {
  return [handoff.handoffAlarm(shared)];
}

export function handoffSweeps({ sweeping }: WorkerParts): Sweep[] {
  return handoff.handoffSweeps(sweeping);
}
