import type { Log, Metrics } from "../platform/index.ts";
import { ALARM_SERVICE } from "./alarm.ts";
import type { SendFailure } from "./client.ts";
import { OBJECT_NAMES } from "./engine-object.ts";

const LOG_EVERY_MS = 10_000;

/** Counts every call that the engine did not take. Logs at most one line in ten seconds: an engine that is away refuses them all. */
export function reportSendFailures(
  log: Pick<Log, "warn">,
  metrics: Metrics,
  now: () => number,
): (failure: SendFailure) => void {
  // From 0: Prometheus sees no increase in a series that begins with its first event.
  for (const object of [...OBJECT_NAMES, ALARM_SERVICE]) metrics.engineSendFailures.inc({ object }, 0);
  let loggedAt = -Infinity;
  let unlogged = 0;
  return ({ object, handler, cause }) => {
    metrics.engineSendFailures.inc({ object });
    unlogged += 1;
    if (now() - loggedAt < LOG_EVERY_MS) return;
    log.warn("engine_send_failed", { object, handler, cause, failures: unlogged });
    loggedAt = now();
    unlogged = 0;
  };
}
