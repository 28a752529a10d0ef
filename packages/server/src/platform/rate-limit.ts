import { LruMap } from "./lru-map.ts";

/** What a caller may still do, for the RateLimit headers. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A node that remembers more forgets the key that was silent longest: its bucket is full again anyway. */
const KEYS_MAX = 50_000;
const MINUTE_MS = 60_000;

export interface RateLimiter {
  take: (key: string, nowMs: number, cost?: number) => Allowance;
  /** Takes tokens that may not be there: who is in debt waits longer, by one second's worth at most. */
  charge: (key: string, nowMs: number, cost: number) => void;
}

/** Token bucket for each key, on this node: it holds one second's worth and fills evenly. */
export function createRateLimiter(perSecond: number, keysMax = KEYS_MAX): RateLimiter {
  const buckets = new LruMap<string, Bucket>(keysMax);
  const capacity = Math.max(1, Math.ceil(perSecond));

  function tokensOf(key: string, nowMs: number): number {
    const bucket = buckets.get(key);
    if (bucket === undefined) return capacity;
    return Math.min(capacity, bucket.tokens + ((nowMs - bucket.filledAt) / 1000) * perSecond);
  }

  return {
    take(key, nowMs, cost = 1) {
      const tokens = tokensOf(key, nowMs);
      // What costs more than the bucket holds waits until it is full.
      const needed = Math.min(cost, capacity);
      const allowed = tokens >= needed;
      const left = allowed ? tokens - needed : tokens;
      buckets.set(key, { tokens: left, filledAt: nowMs });
      const missing = allowed ? 1 - Math.min(left, 1) : needed - left;
      return {
        allowed,
        limit: capacity,
        remaining: Math.max(0, Math.floor(left)),
        resetSeconds: Math.max(1, Math.ceil(missing / perSecond)),
      };
    },
    charge(key, nowMs, cost) {
      const left = Math.max(-capacity, tokensOf(key, nowMs) - cost);
      buckets.set(key, { tokens: left, filledAt: nowMs });
    },
  };
}

/** At most `most` calls of a key in any minute, on this node: a bucket would let twice as many through in its first. */
export function createMinuteLimiter(most: number, keysMax = KEYS_MAX) {
  const calls = new LruMap<string, number[]>(keysMax);

  return function take(key: string, nowMs: number): Allowance {
    const recent = (calls.get(key) ?? []).filter((at) => nowMs - at < MINUTE_MS);
    const allowed = recent.length < most;
    if (allowed) recent.push(nowMs);
    calls.set(key, recent);
    const oldest = recent[0] ?? nowMs;
    return {
      allowed,
      limit: most,
      remaining: most - recent.length,
      resetSeconds: Math.max(1, Math.ceil((oldest + MINUTE_MS - nowMs) / 1000)),
    };
  };
}
