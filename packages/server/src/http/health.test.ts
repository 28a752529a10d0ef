import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createHealth, type HealthParts } from "./health.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const healthy: HealthParts = {
  askDatabase: async () => ({ takesWork: true, lateMs: 0 }),
  engineSilentMs: () => 0,
  draining: new AbortController().signal,
};

const isNormal = (parts: Partial<HealthParts>) => createHealth({ ...healthy, ...parts }).isNormal();
const isReady = (parts: Partial<HealthParts>) => createHealth({ ...healthy, ...parts }).isReady();

describe("health", () => {
  it("is normal while everything is, up to its bounds and not beyond", async () => {
    assert.equal(await isNormal({}), true);
    const late = (lateMs: number) => ({ askDatabase: async () => ({ takesWork: true, lateMs }) });
    assert.deepEqual([await isNormal(late(60_000)), await isNormal(late(60_001))], [true, false]);
    const silent = (ms: number) => ({ engineSilentMs: () => ms });
    assert.deepEqual([await isNormal(silent(30_000)), await isNormal(silent(30_001))], [true, false]);
  });

  it("is neither normal nor ready when the database takes no work or cannot be asked", async () => {
    const broken: HealthParts["askDatabase"][] = [
      async () => ({ takesWork: false, lateMs: 0 }),
      () => Promise.reject(new Error("connection refused")),
    ];
    for (const askDatabase of broken) {
      assert.equal(await isNormal({ askDatabase }), false);
      assert.equal(await isReady({ askDatabase }), false);
    }
  });

  it("does not wait for a database that hangs", async () => {
    const begun = performance.now();
    assert.equal(await isNormal({ askDatabase: () => new Promise(() => undefined) }), false);
    atMost(performance.now() - begun, 2_000, "a database that hangs is given up");
  });

  it("is ready without the engine, and with deliveries that are late: messages are still accepted", async () => {
    assert.equal(await isReady({ engineSilentMs: () => 3_600_000 }), true);
    assert.equal(await isReady({ askDatabase: async () => ({ takesWork: true, lateMs: 3_600_000 }) }), true);
  });

  it("is not ready from the moment the process drains", async () => {
    const draining = new AbortController();
    const health = createHealth({ ...healthy, draining: draining.signal });
    assert.equal(await health.isReady(), true);
    draining.abort();
    assert.equal(await health.isReady(), false);
  });

  it("asks the database once for all who ask within a second", async () => {
    let asked = 0;
    const health = createHealth({
      ...healthy,
      askDatabase: async () => {
        asked += 1;
        return { takesWork: true, lateMs: 0 };
      },
    });
    await Promise.all(Array.from({ length: 100 }, () => Promise.all([health.isNormal(), health.isReady()])));
    await health.isNormal();
    assert.equal(asked, 1);
  });
});
