import { UsageError } from "./command.ts";

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function durationMs(text: string, what: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError(`${what} must be a duration such as 30s, 15m, 2h or 7d`);
  return Number(count) * (UNITS_MS[unit] ?? 0);
}

/** A time, or how long ago: `2026-11-14T09:00:00Z`, `2h`. */
export function timeFrom(text: string | undefined, what: string, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+[smhd]$/.test(text)) return nowMs - durationMs(text, what);
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new UsageError(`${what} must be a time such as 2026-11-14T09:00:00Z, or an age such as 2h`);
  return time;
}
