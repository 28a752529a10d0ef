/**
 * Remembers which calls were handled. Delivery is at least once, so every call may come again, also to another process of
 * yours: a store for several processes is a table with the id as its key.
 */
export interface DeduplicationStore {
  /** Makes the id one's own, in one step; a claim that its owner never settles must lapse after a while. */
  claim(id: string): Promise<"claimed" | "in_progress" | "handled">;
  /** The call was handled: later claims get "handled". */
  confirm(id: string): Promise<void>;
  /** The call failed: the next one may claim it. */
  release(id: string): Promise<void>;
}

export interface MemoryStoreOptions {
  /** How many ids are remembered; the oldest are forgotten first. */
  max?: number;
  /** How long; the service repeats for up to 24 hours by default. */
  keepMs?: number;
}

/** For one process, until it ends. */
export function createMemoryStore({
  max = 100_000,
  keepMs = 86_400_000,
}: MemoryStoreOptions = {}): DeduplicationStore {
  const known = new Map<string, { isHandled: boolean; at: number }>();

  function forgetOld(): void {
    const oldest = performance.now() - keepMs;
    for (const [id, { at }] of known) {
      if (known.size <= max && at > oldest) return;
      known.delete(id);
    }
  }

  return {
    claim(id) {
      forgetOld();
      const found = known.get(id);
      if (found !== undefined) return Promise.resolve(found.isHandled ? "handled" : "in_progress");
      known.set(id, { isHandled: false, at: performance.now() });
      return Promise.resolve("claimed");
    },
    confirm(id) {
      known.delete(id);
      known.set(id, { isHandled: true, at: performance.now() });
      return Promise.resolve();
    },
    release(id) {
      known.delete(id);
      return Promise.resolve();
    },
  };
}
