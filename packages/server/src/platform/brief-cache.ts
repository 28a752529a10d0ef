import { LruMap } from "./lru-map.ts";

export interface BriefCacheOptions {
  forMs: number;
  most: number;
}

/** Remembers for a moment what was read, so that a burst asks PostgreSQL once. A read that failed is not remembered. */
export function createBriefCache<Value>({ forMs, most }: BriefCacheOptions) {
  const entries = new LruMap<string, { readAt: number; value: Promise<Value> }>(most);

  return function recallOrRead(key: string, read: () => Promise<Value>): Promise<Value> {
    const now = performance.now();
    const known = entries.get(key);
    if (known !== undefined && now - known.readAt <= forMs) return known.value;
    const value = read();
    entries.set(key, { readAt: now, value });
    value.catch(() => entries.delete(key));
    return value;
  };
}
