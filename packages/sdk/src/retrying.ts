const FIRST_DELAY_MS = 200;
const LONGEST_WAIT_MS = 30_000;
const AWAY = [502, 503, 504];
const BUSY = 429;

/** How long to wait before sending again after this answer, or undefined when it stands. A 500 is a bug: it stands. */
export function delayAfterAnswer(
  status: number,
  retryAfter: string | null,
  attempt: number,
  nowMs: number,
): number | undefined {
  const asked = readRetryAfterMs(retryAfter, nowMs);
  if (status === BUSY) return asked === undefined || asked > LONGEST_WAIT_MS ? undefined : asked;
  if (!AWAY.includes(status)) return undefined;
  if (asked === undefined) return backoffMs(attempt, Math.random());
  return asked > LONGEST_WAIT_MS ? undefined : asked;
}

/** Whether another time may bring another answer. */
export function isPassing(status: number): boolean {
  return status === BUSY || AWAY.includes(status);
}

/** Half fixed and half by chance, so that callers who failed together do not come back together. */
export function backoffMs(attempt: number, chance: number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
}

function readRetryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null || value.trim() === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** Ends early, with the signal's own reason, when the caller gives up. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      // The caller chose the reason of the signal, and gets it back as it is.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    }, delayMs);
    if (signal?.aborted) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
}
