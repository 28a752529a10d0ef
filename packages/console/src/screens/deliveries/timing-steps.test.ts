import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stepsOf } from "./timing-steps.ts";

const NONE = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null };

describe("steps of an attempt", () => {
  it("steps follow one another, and what is left of the attempt is the rest", () => {
    const timings = { dns_ms: 3, connect_ms: 10, tls_ms: 20, first_byte_ms: 60 };
    assert.deepEqual(stepsOf({ duration_ms: 100, timings }), {
      isReused: false,
      steps: [
        { name: "dns", beganMs: 0, tookMs: 3 },
        { name: "connect", beganMs: 3, tookMs: 10 },
        { name: "tls", beganMs: 13, tookMs: 20 },
        { name: "firstByte", beganMs: 33, tookMs: 60 },
        { name: "rest", beganMs: 93, tookMs: 7 },
      ],
    });
  });

  it("an attempt on an open connection shows its first byte and no steps of connecting", () => {
    const { steps, isReused } = stepsOf({ duration_ms: 5, timings: { ...NONE, first_byte_ms: 5 } });
    assert.deepEqual([isReused, steps.map(({ name }) => name)], [true, ["firstByte"]]);
  });

  it("an attempt without timings shows none, and one that failed to connect shows how far it came", () => {
    assert.deepEqual(stepsOf({ duration_ms: 5, timings: NONE }), { steps: [], isReused: false });
    const { steps, isReused } = stepsOf({ duration_ms: 7, timings: { ...NONE, dns_ms: 2, connect_ms: 5 } });
    assert.deepEqual([isReused, steps.map(({ name }) => name)], [false, ["dns", "connect"]]);
  });
});
