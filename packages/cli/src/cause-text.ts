import { CAUSES, type Cause } from "@signalbox/contract";

/** One sentence for a person, and the stable word that filters and documents use. */
export function describeCause(cause: Cause, httpStatus: number | null): string {
  const status = cause === "http_status" && httpStatus ? ` but ${httpStatus}` : "";
  return `${CAUSES[cause]}${status} (${cause})`;
}
