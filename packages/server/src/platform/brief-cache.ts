export interface BriefCacheOptions {
  forMs: number;
  most: number;
}

/** Remembers for a moment what was read, so that a burst asks PostgreSQL once. A read that failed is not remembered. */
export function createBriefCache<Value>({ forMs, most }: BriefCacheOptions) {
  const entries = new Map<string, { readAt: number; value: Promise<Value> }>();

  return function recallOrRead(key: string, read: () => Promise<Value>): Promise<Value> {
    const now = performance.now();
    const known = entries.get(key);
    if (known !== undefined && now - known.readAt <= forMs) return known.value;
    // Deleted first, so that the order of the map is the order of reading: the oldest entry makes room.
    entries.delete(key);
    const oldest = entries.size < most ? undefined : entries.keys().next().value;
    if (oldest !== undefined) entries.delete(oldest);
    const value = read();
    entries.set(key, { readAt: now, value });
    value.catch(() => entries.delete(key));
    return value;
  };
}
