/** Milliseconds of CPU, not of the clock: others use the machine too. */
export type CpuMs = () => number;

export const threadCpuMs: CpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** All threads of the process together: what a file reader leaves to zlib counts as well. */
export const processCpuMs: CpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

export interface Growth {
  /** Measured here, at a quarter and at a sixteenth of it. */
  size: number;
  /** Less than this at the full size is no cost, however it grows. */
  floorMs: number;
  /** More than this at the full size is too much, however it grows. */
  ceilingMs: number;
  cpuMs: CpuMs;
}

export interface Verdict {
  kind: "fine" | "grows" | "costs" | "throws";
  detail: string;
}

/** To a fourfold input, n log n costs less than five times as much and n² sixteen times: between them, by ratio. */
const FOURFOLD_MAX = 9;
const SQUARE_OF_FOUR = 16;
/** Below this, what is measured is the clock, the compiler and the collector. */
const NOISE_MS = 2;
const LOOKS = 3;
/** What seems to grow, or to cost, is measured again: another process that takes the caches costs the larger input more. */
const ROUNDS = 3;

/**
 * Runs `work` on growing inputs. An input is not made larger where even n² would stay below the floor. What is above it is
 * held against the cost at a quarter of the size, each the least of several runs.
 */
export async function judgeGrowth(
  work: (size: number) => () => unknown,
  { size, floorMs, ceilingMs, cpuMs }: Growth,
): Promise<Verdict> {
  const sizes = [Math.ceil(size / SQUARE_OF_FOUR), Math.ceil(size / 4), size];
  const measure = async (at: number, enoughMs: number) => {
    const run = work(at);
    let least = Infinity;
    for (let look = 0; look < LOOKS && least > enoughMs; look += 1) {
      const begun = cpuMs();
      await run();
      least = Math.min(least, cpuMs() - begun);
    }
    return least;
  };
  let reached = 0;
  try {
    for (const [index, at] of sizes.entries()) {
      reached = index;
      const ms = await measure(at, ceilingMs);
      if (ms * SQUARE_OF_FOUR ** (sizes.length - 1 - index) < floorMs) return { kind: "fine", detail: "" };
      if (ms > ceilingMs) break;
    }
    const at = sizes[reached]!;
    let [ms, before] = [Infinity, Infinity];
    let grows = false;
    for (let round = 0; round === 0 || (round < ROUNDS && (grows || ms > ceilingMs)); round += 1) {
      ms = Math.min(ms, await measure(at, NOISE_MS));
      before = Math.min(before, await measure(Math.ceil(at / 4), NOISE_MS));
      grows = ms > floorMs && ms / Math.max(before, NOISE_MS) > FOURFOLD_MAX;
    }
    const detail = `${Math.ceil(at / 4)}: ${before.toFixed(1)} ms, ${at}: ${ms.toFixed(1)} ms`;
    if (grows) return { kind: "grows", detail };
    return { kind: ms > ceilingMs ? "costs" : "fine", detail };
  } catch (error) {
    const name = error instanceof Error ? `${error.name}: ${error.message.slice(0, 80)}` : String(error);
    return { kind: "throws", detail: `${name} at ${sizes[reached]}` };
  }
}
