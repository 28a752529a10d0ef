import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { absoluteTime, duration, relativeTime } from "./moments.ts";

const NOW = Date.UTC(2026, 10, 16, 23, 30, 0);

describe("times and durations", () => {
  it("relativeTime says how long ago in the reader's language, in the largest unit that fits", () => {
    assert.equal(relativeTime(NOW - 2_000, NOW, "en"), "now");
    assert.equal(relativeTime(NOW - 42_000, NOW, "en"), "42s ago");
    assert.equal(relativeTime(NOW - 59 * 60_000, NOW, "en"), "59m ago");
    assert.equal(relativeTime(NOW + 3 * 3_600_000, NOW, "en"), "in 3h");
    assert.match(relativeTime(NOW - 42_000, NOW, "zh-CN"), /42\s?秒前/);
  });

  it("absoluteTime names the zone in its full form", () => {
    assert.equal(absoluteTime(NOW, { language: "en", zone: "utc" }), "16 Nov 2026, 23:30:00 UTC");
    assert.equal(absoluteTime(NOW, { language: "en", zone: "utc" }, "clock"), "23:30:00");
  });

  it("duration keeps two significant units", () => {
    const shown = [7, 999, 1_250, 12_340, 61_000, 3_660_000, 90_000_000].map(duration);
    assert.deepEqual(shown, ["7 ms", "999 ms", "1.25 s", "12.3 s", "1 min 1 s", "1 h 1 min", "1 d 1 h"]);
  });
});
