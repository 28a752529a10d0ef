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

const BUCKETS_MAX = 50_000;
const MINUTE_MS = 60_000;

/** A token bucket for each key, on this node: it holds one second's worth and fills evenly. */
export function createRateLimiter(perSecond: number) {
  const buckets = new Map<string, Bucket>();
  const capacity = Math.max(1, Math.ceil(perSecond));

  return function take(key: string, nowMs: number): Allowance {
    if (buckets.size > BUCKETS_MAX) buckets.clear();
    const bucket = buckets.get(key) ?? { tokens: capacity, filledAt: nowMs };
    const tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.filledAt) / 1000) * perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    buckets.set(key, { tokens: left, filledAt: nowMs });
    return {
      allowed,
      limit: capacity,
      remaining: Math.floor(left),
      resetSeconds: Math.max(1, Math.ceil((1 - Math.min(left, 1)) / perSecond)),
    };
  };
}

/** At most so many calls of a key in any minute, on this node: a bucket would let twice as many through in its first. */
export function createMinuteLimiter(most: number) {
  const calls = new Map<string, number[]>();

  return function take(key: string, nowMs: number): Allowance {
    if (calls.size > BUCKETS_MAX) calls.clear();
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
