import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tableLines } from "./output.ts";
import { timeFrom } from "./times.ts";

describe("tables", () => {
  it("table columns are as wide as they need to be, also for double-width scripts", () => {
    assert.deepEqual(
      tableLines(
        ["name", "url"],
        [
          ["你好", "a"],
          ["line\nbreak", ""],
        ],
      ),
      ["name        url", "你好        a", "line break"],
    );
  });
});

describe("time options", () => {
  it("a time option is a date or a duration before now", () => {
    assert.equal(timeFrom("2h", "--since", 10_000_000), 2_800_000);
    assert.equal(timeFrom("2026-11-14T09:00:00Z", "--since", 0), Date.UTC(2026, 10, 14, 9));
    assert.equal(timeFrom(undefined, "--since", 0), undefined);
    assert.throws(() => timeFrom("2 hours", "--since", 0), /--since must be a time/);
  });
});
