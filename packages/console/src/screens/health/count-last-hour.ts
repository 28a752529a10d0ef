import type { Cause, Delivery } from "@signalbox/contract";

export const MINUTE_MS = 60_000;
export const MINUTES = 60;

export interface Minute {
  at: number;
  delivered: number;
  pending: number;
  dead: number;
}

export interface LastHour {
  minutes: Minute[];
  causes: { cause: Cause; count: number }[];
  /** More happened than was read. */
  isPartial: boolean;
}

/** Deliveries by minute, oldest first, and by cause, the most frequent first. */
export function countLastHour(deliveries: readonly Delivery[], now: number): Omit<LastHour, "isPartial"> {
  const end = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const minutes = Array.from({ length: MINUTES }, (_, index): Minute => ({
    at: end - (MINUTES - 1 - index) * MINUTE_MS,
    delivered: 0,
    pending: 0,
    dead: 0,
  }));
  const causes = new Map<Cause, number>();
  for (const { create_time, state, cause } of deliveries) {
    const minute = minutes[MINUTES - 1 - Math.floor((end + MINUTE_MS - 1 - create_time) / MINUTE_MS)];
    if (minute !== undefined) minute[state] += 1;
    if (cause !== null) causes.set(cause, (causes.get(cause) ?? 0) + 1);
  }
  return {
    minutes,
    causes: [...causes].map(([cause, count]) => ({ cause, count })).toSorted((a, b) => b.count - a.count),
  };
}
