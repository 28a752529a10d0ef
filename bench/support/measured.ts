import type { Bed } from "@signalbox/tests/support/bed.ts";
import type { Arrivals } from "./arrivals.ts";
import { cpuMsOf } from "./cpu.ts";

export interface Measured {
  perSecond: number;
  cpuMsEach: number;
  cpuMsOfPart: Record<string, number>;
}

/** Process ids by the name of what they are a part of. */
export type Parts = Record<string, number>;

/** The processes of a bed with one api, one worker and a cluster of its own. */
export function partsOf(bed: Bed): Parts {
  return {
    api: bed.api().pid(),
    worker: bed.worker().pid(),
    engine: bed.engine.pid(),
    postgres: bed.ownCluster().pid(),
  };
}

const IN_FLIGHT = 64;
const ARRIVE_WITHIN_MS = 180_000;

/** Until all have arrived; the CPU time is that of these processes. */
export async function measure(
  arrivals: Arrivals,
  count: number,
  parts: Parts,
  run: () => Promise<void>,
): Promise<Measured> {
  arrivals.reset();
  const before = cpuOf(parts);
  const begun = performance.now();
  await run();
  await arrivals.waitFor(count, ARRIVE_WITHIN_MS);
  const seconds = (performance.now() - begun) / 1000;
  const cpuMsOfPart = Object.fromEntries(
    Object.entries(cpuOf(parts)).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / count]),
  );
  const cpuMsEach = Object.values(cpuMsOfPart).reduce((sum, ms) => sum + ms, 0);
  return { perSecond: count / seconds, cpuMsEach, cpuMsOfPart };
}

/** CPU time of each part so far, in ms. */
export function cpuOf(parts: Parts): Record<string, number> {
  return Object.fromEntries(Object.entries(parts).map(([name, pid]) => [name, cpuMsOf([pid])]));
}

export async function inFlight(
  count: number,
  run: (index: number) => Promise<void>,
  atOnce = IN_FLIGHT,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await run(next++);
    }),
  );
}
