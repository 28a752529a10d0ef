import type { Interval } from "../../support/ledger.ts";
import { isOverloaded } from "../../support/machine.ts";
import { now } from "../../support/receiver.ts";

const LOOK_EVERY_MS = 1_000;

export type OverloadWatch = Disposable & { seconds(): number; intervals: Interval[] };

/**
 * Remembers when the machine had far more to do than it can. Deadlines then pass by themselves, as in a pause, and a message
 * whose answer was too late is rightly sent again.
 */
export function watchOverload(): OverloadWatch {
  const intervals: Interval[] = [];
  const timer = setInterval(() => {
    if (!isOverloaded()) return;
    intervals.push({ from: now() - LOOK_EVERY_MS, until: now() });
  }, LOOK_EVERY_MS);
  return {
    intervals,
    seconds: () => intervals.length,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
