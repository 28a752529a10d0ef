/**
 * `next`: follows what was handled before. `gap`: at least one before it was given up, and is in the delivery log.
 * `late`: something after it was handled already, as when an operator sends again what had been given up.
 */
export type Place = "next" | "gap" | "late";

/** The rule itself, for those who keep the last number in a database of their own. */
export function placeInOrder(lastSequence: number | undefined, sequence: number): Place {
  if (sequence <= (lastSequence ?? 0)) return "late";
  return sequence === (lastSequence ?? 0) + 1 ? "next" : "gap";
}

export interface OrderKeeper {
  /** Where a call stands in its lane; undefined when it carries no number. To be asked once a call. */
  place(call: { laneId: string; sequence: number | undefined }): Place | undefined;
}

/** Remembers the last number of each lane, for one process; the lanes used longest ago are forgotten first. */
export function createOrderKeeper({ max = 100_000 }: { max?: number } = {}): OrderKeeper {
  const lastOf = new Map<string, number>();
  return {
    place({ laneId, sequence }) {
      if (sequence === undefined) return undefined;
      const last = lastOf.get(laneId);
      lastOf.delete(laneId);
      lastOf.set(laneId, Math.max(last ?? 0, sequence));
      if (lastOf.size > max) lastOf.delete(lastOf.keys().next().value ?? "");
      // A lane seen for the first time may have begun before this process did.
      return last === undefined ? "next" : placeInOrder(last, sequence);
    },
  };
}
