import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMinuteLimiter } from "./rate-limit.ts";

describe("a limit by the minute", () => {
  it("lets so many through in any minute, wherever that minute begins", () => {
    const take = createMinuteLimiter(3);
    const allowed = (...times: number[]) => times.map((at) => take("key", at).allowed);
    assert.deepEqual(allowed(0, 20_000, 40_000, 59_999), [true, true, true, false]);
    assert.deepEqual(allowed(60_000, 60_001, 79_999, 80_000), [true, false, false, true]);
  });

  it("says what is left and when there is more", () => {
    const take = createMinuteLimiter(2);
    assert.deepEqual(take("key", 0), { allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
    assert.deepEqual(take("key", 10_000), { allowed: true, limit: 2, remaining: 0, resetSeconds: 50 });
    assert.deepEqual(take("key", 30_000), { allowed: false, limit: 2, remaining: 0, resetSeconds: 30 });
  });

  it("counts each key by itself, and a refusal not at all", () => {
    const take = createMinuteLimiter(1);
    assert.equal(take("one", 0).allowed, true);
    assert.equal(take("other", 0).allowed, true);
    for (let at = 0; at < 60_000; at += 1_000) assert.equal(take("one", at).allowed, false);
    assert.equal(take("one", 60_000).allowed, true);
  });
});
