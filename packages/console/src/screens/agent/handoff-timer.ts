import type { HandoffTimer } from "@signalbox/contract";

/** A warning that would come before the timer began is left out. */
export function withSeconds(timer: HandoffTimer, seconds: number): HandoffTimer {
  const warnings = [timer.warn_seconds].flat().filter((warn) => warn > 0 && warn < seconds);
  return { seconds, warn_seconds: warnings.length === 0 ? 0 : warnings };
}
