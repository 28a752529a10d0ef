import type { Delivery, DestinationState } from "@signalbox/contract";

export type DestinationHealth = DestinationState["breaker"] | "failing" | "partly";

/** Those that need attention first. */
export const BY_NEED: Readonly<Record<DestinationHealth, number>> = {
  open: 0,
  disabled: 1,
  failing: 2,
  partly: 3,
  closed: 4,
};

type Tried = Pick<Delivery, "state" | "cause" | "create_time">;

/**
 * How a destination does. Its breaker stays closed while it answers, even if it refuses everything: then its deliveries
 * tell. One that was given up counts until a later one is delivered.
 */
export function healthOf(
  { breaker, lanes_retrying }: Pick<DestinationState, "breaker" | "lanes_retrying">,
  recent: readonly Tried[],
): DestinationHealth {
  if (breaker !== "closed") return breaker;
  const delivered = recent.filter(({ state }) => state === "delivered");
  const last = Math.max(...delivered.map(({ create_time }) => create_time));
  const isOpen = ({ state, cause, create_time }: Tried) =>
    cause !== null && cause !== "erased" && (state === "pending" || (state === "dead" && create_time > last));
  if (lanes_retrying === 0 && !recent.some(isOpen)) return breaker;
  return delivered.length === 0 ? "failing" : "partly";
}
