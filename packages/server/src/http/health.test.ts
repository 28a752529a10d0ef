import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DatabaseFacts } from "./database-facts.ts";
import { createHealth, type HealthParts } from "./health.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const facts: DatabaseFacts = { takesWork: true, workerSilentMs: 0, turnLateMs: 0, deliveryLateMs: 0 };
const found = (some: Partial<DatabaseFacts>) => ({ askDatabase: async () => ({ ...facts, ...some }) });

const healthy: HealthParts = {
  askDatabase: async () => facts,
  engineSilentMs: () => 0,
  draining: new AbortController().signal,
};

const isNormal = (parts: Partial<HealthParts>) => createHealth({ ...healthy, ...parts }).isNormal();
const isReady = (parts: Partial<HealthParts>) => createHealth({ ...healthy, ...parts }).isReady();

describe("health", () => {
  it("health is normal while every fact is within its bounds", async () => {
    assert.equal(await isNormal({}), true);
    const upTo: [keyof DatabaseFacts, number][] = [
      ["deliveryLateMs", 60_000],
      ["turnLateMs", 60_000],
      ["workerSilentMs", 15_000],
    ];
    for (const [fact, most] of upTo)
      assert.deepEqual(
        [await isNormal(found({ [fact]: most })), await isNormal(found({ [fact]: most + 1 }))],
        [true, false],
        fact,
      );
    const silent = (ms: number) => ({ engineSilentMs: () => ms });
    assert.deepEqual([await isNormal(silent(30_000)), await isNormal(silent(30_001))], [true, false]);
  });

  it("health is neither normal nor ready when the database takes no writes or does not answer", async () => {
    const broken: HealthParts["askDatabase"][] = [
      async () => ({ ...facts, takesWork: false }),
      () => Promise.reject(new Error("connection refused")),
    ];
    for (const askDatabase of broken) {
      assert.equal(await isNormal({ askDatabase }), false);
      assert.equal(await isReady({ askDatabase }), false);
    }
  });

  it("health names the part that failed with a remedy, and judges nothing else while the database is down", async () => {
    const cases: [Partial<HealthParts>, Record<string, string>][] = [
      [found({ takesWork: false }), { database: "failed" }],
      [{ engineSilentMs: () => 31_000 }, { engine: "failed" }],
      [found({ workerSilentMs: undefined }), { workers: "failed" }],
      [found({ turnLateMs: 61_000 }), { turns: "failed" }],
      [found({ deliveryLateMs: 61_000 }), { deliveries: "failed" }],
      [
        { askDatabase: () => Promise.reject(new Error("connection refused")) },
        { database: "failed", workers: "unknown", turns: "unknown", deliveries: "unknown" },
      ],
    ];
    for (const [parts, wrong] of cases) {
      const told = await createHealth({ ...healthy, ...parts }).examine();
      const notNormal = told.filter(({ state }) => state !== "normal");
      assert.deepEqual(Object.fromEntries(notNormal.map(({ part, state }) => [part, state])), wrong);
      for (const { state, advice } of told) assert.equal(advice !== null, state === "failed");
    }
  });

  it("health does not wait for a database that hangs", async () => {
    const begun = performance.now();
    assert.equal(await isNormal({ askDatabase: () => new Promise(() => undefined) }), false);
    atMost(performance.now() - begun, 2_000, "a database that hangs is given up");
  });

  it("health is ready without engine and workers and while work is late", async () => {
    assert.equal(await isReady({ engineSilentMs: () => 3_600_000 }), true);
    for (const fact of ["deliveryLateMs", "turnLateMs", "workerSilentMs"])
      assert.equal(await isReady(found({ [fact]: 3_600_000 })), true, fact);
  });

  it("health is not ready from the moment the process drains", async () => {
    const draining = new AbortController();
    const health = createHealth({ ...healthy, draining: draining.signal });
    assert.equal(await health.isReady(), true);
    draining.abort();
    assert.equal(await health.isReady(), false);
  });

  it("health queries the database once per second for all callers", async () => {
    let asked = 0;
    const health = createHealth({
      ...healthy,
      askDatabase: async () => {
        asked += 1;
        return facts;
      },
    });
    await Promise.all(Array.from({ length: 100 }, () => Promise.all([health.isNormal(), health.isReady()])));
    await health.isNormal();
    assert.equal(asked, 1);
  });
});
