/** A span of the database's time, in milliseconds: from the first, up to and without the second. */
export interface AlarmSlot {
  fromMs: number;
  untilMs: number;
}

/** Rings once for all rows whose time comes within a slot; the handler finds them in PostgreSQL. */
export interface Alarm {
  name: string;
  ring: (slot: AlarmSlot) => Promise<void>;
}

export const ALARM_SERVICE = "alarm";

/** A timer fires at most this much late, and those of one slot share one delayed invocation. */
const SLOT_MS = 250;

export function alarmSlotOf(dueAt: number): AlarmSlot {
  const fromMs = Math.floor(dueAt / SLOT_MS) * SLOT_MS;
  return { fromMs, untilMs: fromMs + SLOT_MS };
}
