import type { DeliveryAttempt } from "@signalbox/contract";

export interface Step {
  name: "dns" | "connect" | "tls" | "firstByte" | "rest";
  /** Since the attempt began. */
  beganMs: number;
  tookMs: number;
}

/** The steps that happened, one after the other; what is left of the whole is the rest. None for attempts of earlier versions. */
export function stepsOf({
  duration_ms,
  timings: { dns_ms, connect_ms, tls_ms, first_byte_ms },
}: Pick<DeliveryAttempt, "duration_ms" | "timings">): { steps: Step[]; isReused: boolean } {
  const known = [
    ["dns", dns_ms],
    ["connect", connect_ms],
    ["tls", tls_ms],
    ["firstByte", first_byte_ms],
  ] as const;
  const steps: Step[] = [];
  let beganMs = 0;
  for (const [name, tookMs] of known) {
    if (tookMs === null) continue;
    steps.push({ name, beganMs, tookMs });
    beganMs += tookMs;
  }
  if (steps.length > 0 && duration_ms > beganMs)
    steps.push({ name: "rest", beganMs, tookMs: duration_ms - beganMs });
  return { steps, isReused: first_byte_ms !== null && connect_ms === null };
}
