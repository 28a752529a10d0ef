import type { EngineObject } from "../../engine/index.ts";
import { drainLane, type DrainParts } from "./drain.ts";

const LONGEST_MS = 60_000;

/** One ordered stream of deliveries: one call drains a lane at a time. */
export function laneObject(parts: DrainParts): EngineObject {
  return { name: "lane", longestMs: LONGEST_MS, handlers: { drain: (work) => drainLane(parts, work) } };
}
