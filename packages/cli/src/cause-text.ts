import { CAUSES, type Cause } from "@signalbox/contract";

/** One sentence for a person, and the stable word that filters and documents use. */
export function describeCause(cause: Cause, httpStatus: number | null): string {
  const text =
    cause === "http_status" && httpStatus
      ? `The receiver responded with HTTP ${httpStatus} instead of 200`
      : CAUSES[cause];
  return `${text} (${cause})`;
}
