import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readNumbersSearch, shownRange } from "./search.ts";

describe("the range of the numbers screen", () => {
  it("a range, channel or language that is not known is left out of the address", () => {
    assert.deepEqual(readNumbersSearch({ range: "30d", channel: "widget", language: "zh" }), {
      range: "30d",
      channel: "widget",
      language: "zh",
    });
    assert.deepEqual(readNumbersSearch({ range: "2 years", channel: "fax", language: 7 }), {
      range: undefined,
      channel: undefined,
      language: undefined,
    });
  });

  it("seven days end with this hour and begin with the day six days ago", () => {
    const { from_time, to_time, step } = shownRange("7d", Date.UTC(2026, 10, 17, 9, 30), "utc");
    assert.deepEqual(
      [new Date(from_time).toISOString(), new Date(to_time).toISOString(), step],
      ["2026-11-11T00:00:00.000Z", "2026-11-17T10:00:00.000Z", "day"],
    );
  });

  it("24 hours are 24 whole hours, with the one that has begun", () => {
    const { from_time, to_time, step } = shownRange("24h", Date.UTC(2026, 10, 17, 9, 0), "utc");
    assert.deepEqual([to_time - from_time, step], [86_400_000, "hour"]);
    assert.equal(new Date(to_time).toISOString(), "2026-11-17T10:00:00.000Z");
  });
});
