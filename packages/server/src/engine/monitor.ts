import { pause } from "../platform/index.ts";
import type { Engine } from "./client.ts";

export interface EngineMonitor {
  /** Milliseconds since the engine last answered; 0 while it does. */
  silentMs(): number;
}

const EVERY_MS = 2_000;

/** Counts from now on: a process that starts while the engine is away gives it the same time as any other. */
export function watchEngine(
  engine: Engine,
  stopping: AbortSignal,
  onChange: (reachable: boolean) => void,
): EngineMonitor {
  let lastAnswerAt = performance.now();
  let reachable = true;
  void (async () => {
    while (!stopping.aborted) {
      reachable = await engine.isReachable();
      if (reachable) lastAnswerAt = performance.now();
      onChange(reachable);
      await pause(EVERY_MS, stopping);
    }
  })();
  return { silentMs: () => (reachable ? 0 : performance.now() - lastAnswerAt) };
}
