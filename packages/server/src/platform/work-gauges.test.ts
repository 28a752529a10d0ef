import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Registry } from "prom-client";
import { createWorkGauges } from "./work-gauges.ts";

const facts = {
  oldestWaitingSeconds: 61.5,
  oldestLateSeconds: 0,
  pending: 7,
  givenUp: 1,
  openBreakers: 2,
  workers: 4,
};

describe("work gauges", () => {
  it("gauges of waiting work are told by the worker that read them lately, and by nobody else", async () => {
    const registry = new Registry();
    let now = 0;
    const set = createWorkGauges(registry, () => now);
    const samples = async () =>
      [...(await registry.metrics()).matchAll(/^signalbox_(\w+) (\S+)$/gm)].map(
        ([, name, value]) => `${name} ${value}`,
      );
    assert.deepEqual(await samples(), []);
    set(facts);
    const all = [
      "oldest_waiting_message_seconds 61.5",
      "oldest_late_delivery_seconds 0",
      "deliveries_pending 7",
      "deliveries_given_up 1",
      "breakers_open 2",
      "workers 4",
    ];
    assert.deepEqual(await samples(), all);
    now = 60_000;
    assert.deepEqual(await samples(), all);
    now = 60_001;
    assert.deepEqual(await samples(), []);
  });
});
