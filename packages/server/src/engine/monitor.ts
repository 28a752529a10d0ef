import { pause, type Log, type Metrics } from "../platform/index.ts";
import type { Engine } from "./client.ts";

export interface EngineMonitor {
  /** Milliseconds since the engine last answered; 0 while it does. */
  silentMs(): number;
}

export interface MonitorOptions {
  engine: Engine;
  ingressUrl: string;
  log: Log;
  metrics: Metrics;
  stopping: AbortSignal;
}

const EVERY_MS = 2_000;
const ADVICE =
  "Check that Restate runs and that this process reaches it at ENGINE_INGRESS_URL. Until then messages are accepted and wait.";

/**
 * Warns once when the engine is lost and once when it is back. Counts from now on: a process that starts while the engine is
 * away gives it the same time as any other.
 */
export function watchEngine({ engine, ingressUrl, log, metrics, stopping }: MonitorOptions): EngineMonitor {
  let lastAnswerAt = performance.now();
  let reachable = true;
  void (async () => {
    while (!stopping.aborted) {
      const answers = await engine.isReachable();
      const silentMs = Math.round(performance.now() - lastAnswerAt);
      if (reachable && !answers) log.warn("engine_lost", { ingressUrl, advice: ADVICE });
      if (!reachable && answers) log.warn("engine_back", { silentMs });
      reachable = answers;
      if (answers) lastAnswerAt = performance.now();
      metrics.engineReachable.set(answers ? 1 : 0);
      await pause(EVERY_MS, stopping);
    }
  })();
  return { silentMs: () => (reachable ? 0 : performance.now() - lastAnswerAt) };
}
