import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backoffMs, delayAfterAnswer } from "./retrying.ts";

describe("retry delay", () => {
  it("only 429, 502, 503 and 504 are retried", () => {
    for (const status of [200, 302, 400, 401, 403, 404, 409, 413, 500, 501]) {
      assert.equal(delayAfterAnswer(status, "1", 1, 0), undefined, String(status));
    }
    for (const status of [502, 503, 504]) assert.ok(delayAfterAnswer(status, null, 1, 0)! > 0);
  });

  it("Retry-After is read in seconds or as a date", () => {
    assert.equal(delayAfterAnswer(429, "2", 1, 0), 2000);
    assert.equal(delayAfterAnswer(503, "2", 1, 0), 2000);
    const now = Date.parse("2026-01-01T00:00:00Z");
    assert.equal(delayAfterAnswer(429, "Thu, 01 Jan 2026 00:00:03 GMT", 1, now), 3000);
    assert.equal(delayAfterAnswer(429, "Thu, 01 Jan 2026 00:00:00 GMT", 1, now + 5), 0);
  });

  it("a Retry-After of more than 30 seconds is not waited for", () => {
    assert.equal(delayAfterAnswer(429, "31", 1, 0), undefined);
    assert.equal(delayAfterAnswer(503, "3600", 1, 0), undefined);
  });

  it("the backoff grows with each attempt and has jitter", () => {
    assert.deepEqual(
      [backoffMs(1, 0), backoffMs(1, 1), backoffMs(2, 0), backoffMs(2, 1)],
      [100, 200, 200, 400],
    );
  });
});
