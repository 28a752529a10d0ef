/** Work holds the event loop no longer than this at a time: others are being answered meanwhile. */
const SLICE_MS = 2;
/** Work that has taken more is long: after each slice the loop is everybody else's for as long again. */
const LONG_MS = 10;

interface Waiter {
  isLong: boolean;
  resume: () => void;
}

/**
 * Waiters for the next slice in this process: there is one event loop, and ten works that each gave way by themselves
 * would still hold it for ten slices at a time.
 */
const waiting: Waiter[] = [];

function scheduleNext(): void {
  if (waiting[0]?.isLong === true) setTimeout(resumeNext, SLICE_MS);
  else setImmediate(resumeNext);
}

function resumeNext(): void {
  const next = waiting.shift();
  if (waiting.length > 0) scheduleNext();
  next?.resume();
}

function nextSlice(isLong: boolean): Promise<void> {
  return new Promise((resume) => {
    if (waiting.push({ isLong, resume }) === 1) scheduleNext();
  });
}

/** To be awaited between steps of long work: gives way to others when the slice is used up. */
export function createTimeSlice(): () => Promise<void> | undefined {
  let usedMs = 0;
  let since = performance.now();
  return () => {
    const sliceMs = performance.now() - since;
    if (sliceMs < SLICE_MS) return undefined;
    usedMs += sliceMs;
    return nextSlice(usedMs > LONG_MS).then(() => void (since = performance.now()));
  };
}

/** The same for work that waits for others between its steps: a clock would count the pauses, so a slice is `stepsMax` steps. */
export function createStepSlice(stepsMax: number): () => Promise<void> | undefined {
  let steps = 0;
  return () => {
    steps += 1;
    return steps % stepsMax === 0 ? nextSlice(false) : undefined;
  };
}
