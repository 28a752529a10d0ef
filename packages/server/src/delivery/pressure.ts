/** Whether this worker, or what it stands on, falls behind: lanes are taken up late, counted from the moment they were due. */
export interface Pressure {
  note(lateMs: number): void;
  isHigh(): boolean;
}

/** Nobody should wait longer than this to be taken up because of a destination that has just come back. */
const LATE_MS = 50;
/** Some are late on any machine. */
const LATE_SHARE_MAX = 0.05;
/** Of one lane among those that count: about the last fifty do. */
const WEIGHT = 0.02;
const FORGOTTEN_AFTER_MS = 1_000;

export function createPressure({ now }: { now: () => number }): Pressure {
  let lateShare = 0;
  let notedAt = -Infinity;
  return {
    note(lateMs) {
      const before = now() - notedAt > FORGOTTEN_AFTER_MS ? 0 : lateShare;
      lateShare = before + WEIGHT * ((lateMs > LATE_MS ? 1 : 0) - before);
      notedAt = now();
    },
    isHigh: () => now() - notedAt <= FORGOTTEN_AFTER_MS && lateShare > LATE_SHARE_MAX,
  };
}
