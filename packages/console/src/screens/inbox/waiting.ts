/** How patient somebody who waits may still be. */
export type WaitLevel = "calm" | "warn" | "late";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const WARN_MS = 2 * MINUTE_MS;
const LATE_MS = 5 * MINUTE_MS;

export function waitLevel(waitedMs: number): WaitLevel {
  if (waitedMs >= LATE_MS) return "late";
  return waitedMs >= WARN_MS ? "warn" : "calm";
}

/** In the largest unit that says enough: 45 s, 3 min, 2 h, 4 d. */
export function waitLength(waitedMs: number): { amount: number; unit: "second" | "minute" | "hour" | "day" } {
  const seconds = Math.max(0, Math.floor(waitedMs / SECOND_MS));
  if (seconds < 60) return { amount: seconds, unit: "second" };
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return { amount: minutes, unit: "minute" };
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? { amount: hours, unit: "hour" } : { amount: Math.floor(hours / 24), unit: "day" };
}
