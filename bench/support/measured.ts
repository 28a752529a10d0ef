import type { Arrivals } from "./arrivals.ts";
import { cpuMsOf } from "./cpu.ts";

export interface Measured {
  perSecond: number;
  cpuMsEach: number;
}

const IN_FLIGHT = 64;
const ARRIVE_WITHIN_MS = 180_000;

/** Until all have arrived; the CPU time is that of these processes. */
export async function measure(
  arrivals: Arrivals,
  count: number,
  pids: number[],
  run: () => Promise<void>,
): Promise<Measured> {
  arrivals.reset();
  const cpuMs = cpuMsOf(pids);
  const begun = performance.now();
  await run();
  await arrivals.waitFor(count, ARRIVE_WITHIN_MS);
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: count / seconds, cpuMsEach: (cpuMsOf(pids) - cpuMs) / count };
}

export async function inFlight(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < count) await run(next++);
    }),
  );
}
