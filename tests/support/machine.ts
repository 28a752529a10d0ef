import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

type Ticks = { all: number; idle: number; stolen: number };

/**
 * Ticks of all cores since boot; idle are also those that wait for a disk, stolen those in which the host served other
 * machines. None where there is no /proc.
 */
function readTicks(): Ticks {
  try {
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const all = ticks.reduce((sum, each) => sum + each, 0);
    return { all, idle: (ticks[3] ?? 0) + (ticks[4] ?? 0), stolen: ticks[7] ?? 0 };
  } catch {
    return { all: 0, idle: 0, stolen: 0 };
  }
}

function shareOf(kind: "idle" | "stolen", from: Ticks, until: Ticks): number {
  const all = until.all - from.all;
  return all <= 0 ? 0 : (until[kind] - from[kind]) / all;
}

/** With more than this given to others, deadlines pass that would not: those of tests, and those of the service. */
export const STARVED_SHARE = 0.1;

/** Tells which share of the machine the host gave to others since this call. */
export function watchSteal(): () => number {
  const begun = readTicks();
  return () => shareOf("stolen", begun, readTicks());
}

/** Tells which share of the cores had nothing to do since the call before, and which the host gave to others. */
export function watchCores(): () => { idleShare: number; stolenShare: number } {
  let before = readTicks();
  return () => {
    const [from, until] = [before, readTicks()];
    before = until;
    return { idleShare: shareOf("idle", from, until), stolenShare: shareOf("stolen", from, until) };
  };
}

const LOOK_EVERY_MS = 250;
const looked = { ticks: readTicks(), atMs: performance.now(), givenMs: 0, stolenShare: 0 };

function look(): typeof looked {
  const passedMs = performance.now() - looked.atMs;
  if (passedMs < LOOK_EVERY_MS) return looked;
  const ticks = readTicks();
  looked.stolenShare = shareOf("stolen", looked.ticks, ticks);
  looked.givenMs += passedMs * (1 - looked.stolenShare);
  looked.atMs += passedMs;
  looked.ticks = ticks;
  return looked;
}

/**
 * Milliseconds in which the machine was ours: while the host serves others, this clock goes slower. Deadlines of tests are
 * by it, because they judge the service and not the host.
 */
export function givenMs(): number {
  return look().givenMs;
}

const LOAD_A_CORE_MAX = 3;
const STOLEN_SHARE_MAX = 0.25;

/** True while there is far more to do than the cores can: then all answers are slow and deadlines pass. */
export function isOverloaded(): boolean {
  return (
    (loadavg()[0] ?? 0) > LOAD_A_CORE_MAX * availableParallelism() || look().stolenShare > STOLEN_SHARE_MAX
  );
}

/** Says something of the service only where the machine was ours: else the reporter counts it as not judged. */
class TooSlow extends Error {
  override readonly name = "TooSlow";
}

export function atMost(tookMs: number, limitMs: number, what: string): void {
  if (!(tookMs <= limitMs))
    throw new TooSlow(`${what}: ${Math.round(tookMs)} ms, at most ${limitMs} allowed`);
}
