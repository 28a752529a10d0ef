import type { Language, Zone } from "../preferences/index.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, or in how long. */
export function relativeTime(at: number, now: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "narrow" });
  const apart = at - now;
  const size = Math.abs(apart);
  if (size < 5 * SECOND_MS) return format.format(0, "second");
  if (size < MINUTE_MS) return format.format(Math.round(apart / SECOND_MS), "second");
  if (size < HOUR_MS) return format.format(Math.round(apart / MINUTE_MS), "minute");
  if (size < DAY_MS) return format.format(Math.round(apart / HOUR_MS), "hour");
  return format.format(Math.round(apart / DAY_MS), "day");
}

type Precision = "full" | "seconds" | "short" | "clock" | "minutes";

const SHAPES: Record<Precision, Intl.DateTimeFormatOptions> = {
  full: { dateStyle: "medium", timeStyle: "long" },
  seconds: { dateStyle: "medium", timeStyle: "medium" },
  short: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  minutes: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  clock: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
};

export function absoluteTime(
  at: number,
  { language, zone }: { language: Language; zone: Zone },
  precision: Precision = "full",
): string {
  const timeZone = zone === "utc" ? { timeZone: "UTC" } : {};
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    ...SHAPES[precision],
    ...timeZone,
  }).format(at);
}

/** How long something took. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(2)} s`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.round((ms % MINUTE_MS) / SECOND_MS)} s`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ${Math.round((ms % HOUR_MS) / MINUTE_MS)} min`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.round((ms % DAY_MS) / HOUR_MS)} h`;
}
