/** Rings when handoffs have to be looked at. */
export const TIMER_ALARM = "handoffTimers";

/** The awaited event: the human's first reply, a further one, or the user. One of them at a time. */
export type TimerKind = "first_reply" | "human_idle" | "user_idle";

/** Times are milliseconds of the database's clock, which alone counts. */
export interface Timer {
  readonly kind: TimerKind;
  /** When it was started, or given more time. */
  readonly setAt: number;
  readonly dueAt: number;
  /** How many of its notices the user has been given. */
  readonly warnings: number;
  /** It was due while nobody looked, and has been given more time once. */
  readonly graced: boolean;
}

export interface TimerLength {
  readonly lengthMs: number;
  /** How long before it fires each warning is sent, the earliest first. */
  readonly warnMs: readonly number[];
}

export type TimerLengths = Readonly<Record<TimerKind, TimerLength>>;

/** Looked at later than this, it was we who were away: nobody had the chance to answer. */
const LATE_MS = 30_000;
const GRACE_MAX_MS = 60_000;
/** A transaction that waited for its lock has an older now than the one before it; a clock that was set back is off by more. */
export const SET_BACK_MS = 30_000;

export function startTimer(kind: TimerKind, at: number, lengths: TimerLengths): Timer {
  return { kind, setAt: at, dueAt: at + lengths[kind].lengthMs, warnings: 0, graced: false };
}

/** When somebody should look next: at each warning, then when it is due. */
export function wakeAt({ kind, dueAt, warnings }: Timer, lengths: TimerLengths): number {
  return dueAt - (lengths[kind].warnMs[warnings] ?? 0);
}

export type Look =
  | { found: "nothing" }
  | { found: "warning"; timer: Timer }
  | { found: "late"; timer: Timer }
  /** It was started in what is the future now. */
  | { found: "clock_set_back"; timer: Timer }
  | { found: "due" };

/** Rule 10: a timer that fires late because we were away is given more time, once, instead of closing everybody. */
export function lookAt(timer: Timer, at: number, lengths: TimerLengths): Look {
  // How much of it has passed cannot be known: nobody is closed too soon, and none runs for longer than its length from now.
  if (at < timer.setAt - SET_BACK_MS)
    return { found: "clock_set_back", timer: { ...timer, setAt: at, dueAt: timer.dueAt - timer.setAt + at } };
  if (at < wakeAt(timer, lengths)) return { found: "nothing" };
  // Warnings that were missed are not sent later: the user gets one.
  const { warnMs } = lengths[timer.kind];
  const warnings = warnMs.filter((warn) => timer.dueAt - warn <= at).length;
  if (at < timer.dueAt) return { found: "warning", timer: { ...timer, warnings } };
  if (at - timer.dueAt <= LATE_MS || timer.graced) return { found: "due" };
  const dueAt = at + Math.min(GRACE_MAX_MS, lengths[timer.kind].lengthMs);
  return { found: "late", timer: { kind: timer.kind, setAt: at, dueAt, warnings: 0, graced: true } };
}
