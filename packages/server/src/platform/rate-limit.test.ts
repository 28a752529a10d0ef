import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMinuteLimiter, createRateLimiter } from "./rate-limit.ts";

describe("rate limit per key", () => {
  it("a rate limit lets one second's worth of requests through at once and says what remains", () => {
    const { take } = createRateLimiter(3);
    const allowances = [0, 0, 0, 0].map((nowMs) => take("key", nowMs));
    assert.deepEqual(
      allowances.map(({ allowed, limit, remaining }) => [allowed, limit, remaining]),
      [
        [true, 3, 2],
        [true, 3, 1],
        [true, 3, 0],
        [false, 3, 0],
      ],
    );
  });

  it("a rate limit refills evenly, up to one second's worth", () => {
    const { take } = createRateLimiter(4);
    for (let time = 0; time < 4; time += 1) take("key", 0);
    assert.equal(take("key", 249).allowed, false);
    assert.equal(take("key", 250).allowed, true);
    assert.equal(take("key", 250).allowed, false);
    const rested = Array.from({ length: 6 }, () => take("key", 60_000).allowed);
    assert.deepEqual(rested, [true, true, true, true, false, false]);
  });

  it("refused requests do not delay the refill of a rate limit", () => {
    const { take } = createRateLimiter(1);
    take("key", 0);
    for (let nowMs = 100; nowMs < 1_000; nowMs += 100) assert.equal(take("key", nowMs).allowed, false);
    assert.equal(take("key", 1_001).allowed, true);
  });

  it("a rate limit says in whole seconds when the next request is allowed, and keeps its word", () => {
    for (const perSecond of [0.1, 0.5, 1, 3, 100]) {
      const { take } = createRateLimiter(perSecond);
      let refused = take("key", 0);
      while (refused.allowed) refused = take("key", 0);
      assert.ok(refused.resetSeconds >= 1 && Number.isInteger(refused.resetSeconds));
      assert.equal(take("key", refused.resetSeconds * 1000).allowed, true, `${perSecond} a second`);
    }
    assert.equal(createRateLimiter(0.1).take("key", 0).limit, 1, "who may ask rarely may ask once");
  });

  it("the requests of one key do not count against another", () => {
    const { take } = createRateLimiter(1);
    assert.deepEqual(
      [take("one", 0).allowed, take("other", 0).allowed, take("one", 0).allowed],
      [true, true, false],
    );
  });
});

describe("memory of a rate limiter", () => {
  it("the remembered keys are bounded, and a flood of new keys resets no key in use", () => {
    const { take } = createRateLimiter(1, 100);
    const takeMinute = createMinuteLimiter(1, 100);
    for (let stranger = 0; stranger < 1_000; stranger += 1) {
      const [bySecond, byMinute] = [take("busy", 0), takeMinute("busy", 0)];
      assert.deepEqual([bySecond.allowed, byMinute.allowed], [stranger === 0, stranger === 0], `${stranger}`);
      take(`stranger ${stranger}`, 0);
      takeMinute(`stranger ${stranger}`, 0);
    }
  });
});

describe("cost of a request", () => {
  it("a request's cost is deducted at once, and a cost above the bucket waits for a full one", () => {
    const { take } = createRateLimiter(10);
    assert.equal(take("key", 0, 4).remaining, 6);
    const refused = take("key", 0, 500);
    assert.deepEqual([refused.allowed, refused.resetSeconds], [false, 1]);
    assert.equal(take("key", 0).allowed, true, "what costs less still passes");
    assert.equal(take("key", 500, 500).allowed, true, "at half a second it is full");
    assert.equal(take("key", 500).allowed, false);
  });

  it("a cost charged afterwards is limited to one second's worth of debt", () => {
    const { take, charge } = createRateLimiter(10);
    take("key", 0);
    charge("key", 0, 1_000);
    assert.equal(take("key", 1_000).allowed, false);
    assert.equal(take("key", 1_100).allowed, true);
  });
});

describe("limit per minute", () => {
  it("a limit per minute holds in any minute, wherever it begins", () => {
    const take = createMinuteLimiter(3);
    const allowed = (...times: number[]) => times.map((at) => take("key", at).allowed);
    assert.deepEqual(allowed(0, 20_000, 40_000, 59_999), [true, true, true, false]);
    assert.deepEqual(allowed(60_000, 60_001, 79_999, 80_000), [true, false, false, true]);
  });

  it("a limit per minute says what remains and when there is more", () => {
    const take = createMinuteLimiter(2);
    assert.deepEqual(take("key", 0), { allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
    assert.deepEqual(take("key", 10_000), { allowed: true, limit: 2, remaining: 0, resetSeconds: 50 });
    assert.deepEqual(take("key", 30_000), { allowed: false, limit: 2, remaining: 0, resetSeconds: 30 });
  });

  it("a limit per minute counts each key separately and no refusals", () => {
    const take = createMinuteLimiter(1);
    assert.equal(take("one", 0).allowed, true);
    assert.equal(take("other", 0).allowed, true);
    for (let at = 0; at < 60_000; at += 1_000) assert.equal(take("one", at).allowed, false);
    assert.equal(take("one", 60_000).allowed, true);
  });
});
