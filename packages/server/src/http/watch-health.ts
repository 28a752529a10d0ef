import type { ServicePart } from "@signalbox/contract";
import { pause, type Log, type Metrics } from "../platform/index.ts";
import type { Health } from "./health.ts";

const EVERY_MS = 5_000;

/** One warning when a part of the service fails and one when it works again, whether or not anybody asks for health. */
export async function watchHealth(
  health: Health,
  { log, metrics, stopping }: { log: Log; metrics: Metrics; stopping: AbortSignal },
): Promise<void> {
  const failedSince = new Map<ServicePart, number>();
  // Its own worker, if it is one, has sent a heartbeat before the first look.
  await pause(EVERY_MS, stopping);
  while (!stopping.aborted) {
    for (const { part, state, message, advice } of await health.examine()) {
      metrics.partNormal.set({ part }, state === "normal" ? 1 : 0);
      // The engine's own monitor warns, and sooner.
      if (part === "engine" || state === "unknown") continue;
      const since = failedSince.get(part);
      if (state === "failed" && since === undefined) {
        failedSince.set(part, performance.now());
        log.warn("part_failed", { part, reason: message, advice });
      } else if (state === "normal" && since !== undefined) {
        failedSince.delete(part);
        const failedForMs = Math.round(performance.now() - since);
        log.warn("part_recovered", { part, failedForMs });
      }
    }
    await pause(EVERY_MS, stopping);
  }
}
