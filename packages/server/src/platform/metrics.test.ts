import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMetrics } from "./metrics.ts";

/** The parts that count with them know the values of their labels, and begin them at 0. */
const BEGUN_ELSEWHERE = ["signalbox_engine_send_failures_total", "signalbox_reconciled_total"];

describe("metrics registry", () => {
  it("a counter has all its series from the start, so that an alert sees its first event", async () => {
    const counters = (await createMetrics().registry.getMetricsAsJSON()).filter(
      ({ name, type }) => name.startsWith("signalbox_") && String(type) === "counter",
    );
    assert.ok(counters.length >= 8);
    const missing = counters.filter(({ values }) => values.length === 0).map(({ name }) => name);
    assert.deepEqual(missing.toSorted(), BEGUN_ELSEWHERE);
    for (const { name, values } of counters) for (const { value } of values) assert.equal(value, 0, name);
  });
});
