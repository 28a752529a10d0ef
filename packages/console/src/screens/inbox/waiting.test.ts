import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { waitLength, waitLevel } from "./waiting.ts";

const MINUTE_MS = 60_000;

describe("waiting time in the inbox", () => {
  it("a wait is calm below two minutes, amber from two and red from five", () => {
    const levels = [0, 2 * MINUTE_MS - 1, 2 * MINUTE_MS, 5 * MINUTE_MS - 1, 5 * MINUTE_MS].map(waitLevel);
    assert.deepEqual(levels, ["calm", "calm", "warn", "warn", "late"]);
  });

  it("a wait is told in its largest full unit, and never below zero", () => {
    const told = [-5, 59_999, 60_000, 59 * MINUTE_MS, 60 * MINUTE_MS, 25 * 60 * MINUTE_MS].map((ms) => {
      const { amount, unit } = waitLength(ms);
      return `${amount} ${unit}`;
    });
    assert.deepEqual(told, ["0 second", "59 second", "1 minute", "59 minute", "1 hour", "1 day"]);
  });
});
