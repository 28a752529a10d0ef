import { setImmediate as nextTurn } from "node:timers/promises";

/** Work holds the event loop no longer than this at a time: others are being answered meanwhile. */
const SLICE_MS = 5;

/** To be awaited between steps of long work: gives way to others when the slice is used up. */
export function createTimeSlice(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextTurn().then(() => void (since = performance.now()));
  };
}
