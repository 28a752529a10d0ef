import { pause, type Log, type Metrics } from "../platform/index.ts";
import type { Engine } from "./client.ts";

export interface EngineState {
  /** Milliseconds since it last took a call; since this process began, if it never did. */
  silentMs: number;
  /** It took a call of this process at least once. */
  hasAnswered: boolean;
  /** Calls fail at once, as while it restarts. Otherwise they time out, as without a quorum. */
  refuses: boolean;
}

export interface EngineMonitor {
  /** What is known, once the first probe has ended. */
  ask(): Promise<EngineState>;
}

export interface MonitorOptions {
  engine: Pick<Engine, "probe">;
  ingressUrl: string;
  log: Pick<Log, "warn">;
  metrics: Pick<Metrics, "engineReachable">;
  stopping: AbortSignal;
  everyMs?: number;
}

const EVERY_MS = 2_000;
const ADVICE =
  "Check that Restate runs, with most nodes of its cluster (its quorum), and that this process reaches it at ENGINE_INGRESS_URL. Until then messages are accepted and wait.";

/** Probes the engine every two seconds. Warns once when it is lost and once when it is back. */
export function watchEngine(options: MonitorOptions): EngineMonitor {
  const { engine, ingressUrl, log, metrics, stopping, everyMs = EVERY_MS } = options;
  let lastAnswerAt = performance.now();
  let hasAnswered = false;
  let isReachable = true;
  // A probe that goes on for long is about to time out.
  let refuses = false;
  const looked = Promise.withResolvers<void>();
  void (async () => {
    while (!stopping.aborted) {
      const cause = await engine.probe();
      const answers = cause === undefined;
      const silentMs = Math.round(performance.now() - lastAnswerAt);
      if (isReachable && !answers) log.warn("engine_lost", { ingressUrl, cause, advice: ADVICE });
      if (!isReachable && answers) log.warn("engine_back", { silentMs });
      isReachable = answers;
      hasAnswered ||= answers;
      refuses = !answers && !cause.includes("TIMEOUT");
      if (answers) lastAnswerAt = performance.now();
      metrics.engineReachable.set(answers ? 1 : 0);
      looked.resolve();
      await pause(everyMs, stopping);
    }
  })();
  return {
    async ask() {
      await looked.promise;
      return { silentMs: performance.now() - lastAnswerAt, hasAnswered, refuses };
    },
  };
}
