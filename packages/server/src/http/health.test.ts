import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DatabaseFacts, LateWork } from "./database-facts.ts";
import { createHealth, type EngineFacts, type HealthParts } from "./health.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const onTime: LateWork = { oldestMs: 0, late: 0, lateAgents: 0, servedAgents: 0 };
const facts: DatabaseFacts = {
  takesWork: true,
  workerSilentMs: 0,
  agents: 2,
  turns: onTime,
  deliveries: onTime,
};
/** As little as makes a whole late: of two agents, while as many others are served. */
const late: LateWork = { oldestMs: 61_000, late: 5, lateAgents: 2, servedAgents: 2 };
const found = (some: Partial<DatabaseFacts>) => ({ askDatabase: async () => ({ ...facts, ...some }) });

const answering: EngineFacts = { silentMs: 0, hasAnswered: true, refuses: false };
const engineIs = (some: Partial<EngineFacts>) => ({ askEngine: async () => ({ ...answering, ...some }) });

const healthy: HealthParts = {
  askDatabase: async () => facts,
  askEngine: async () => answering,
  draining: new AbortController().signal,
};

const isNormal = (parts: Partial<HealthParts>) => createHealth({ ...healthy, ...parts }).isNormal();
const isReady = (parts: Partial<HealthParts>) => createHealth({ ...healthy, ...parts }).isReady();

describe("health", () => {
  it("health is normal while every fact is within its bounds", async () => {
    assert.equal(await isNormal({}), true);
    const worker = (workerSilentMs: number) => found({ workerSilentMs });
    assert.deepEqual([await isNormal(worker(15_000)), await isNormal(worker(15_001))], [true, false]);
    for (const [refuses, most] of [
      [true, 30_000],
      [false, 10_000],
    ] as const) {
      const silent = (silentMs: number) => engineIs({ silentMs, refuses });
      assert.deepEqual([await isNormal(silent(most)), await isNormal(silent(most + 1))], [true, false]);
    }
  });

  it("health is not normal with an engine that never took a call of this process", async () => {
    assert.equal(await isNormal(engineIs({ hasAnswered: false })), false);
    assert.equal(await isNormal({ askEngine: () => new Promise(() => undefined) }), false);
  });

  it("health fails when work of most agents is late, and never for one agent beside others", async () => {
    const cases: [Partial<LateWork>, number, boolean][] = [
      [{}, 2, false],
      [{ late: 4 }, 2, true],
      [{ servedAgents: 3 }, 2, true],
      [{ oldestMs: 86_400_000, late: 1_000, lateAgents: 1, servedAgents: 0 }, 2, true],
      [{ lateAgents: 1, servedAgents: 0 }, 1, false],
      [{ late: 1, lateAgents: 1, servedAgents: 0 }, 1, true],
      [{ lateAgents: 1, servedAgents: 0 }, 0, false],
    ];
    for (const kind of ["turns", "deliveries"] as const)
      for (const [some, agents, normal] of cases)
        assert.equal(
          await isNormal(found({ agents, [kind]: { ...late, ...some } })),
          normal,
          `${kind}: ${JSON.stringify(some)} of ${agents}`,
        );
  });

  it("health tells of the one that is late while the rest is on time", async () => {
    const one = { oldestMs: 125_000, late: 1, lateAgents: 1, servedAgents: 7 };
    const told = await createHealth({ ...healthy, ...found({ turns: one, deliveries: one }) }).examine();
    const messages = told.filter(({ part }) => part === "turns" || part === "deliveries");
    for (const { state, message } of messages) {
      assert.equal(state, "normal");
      assert.match(message, /except .*\b1 (?:conversation|lane): .* 125 s/);
    }
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
      [engineIs({ silentMs: 31_000 }), { engine: "failed" }],
      [found({ workerSilentMs: undefined }), { workers: "failed" }],
      [found({ turns: late }), { turns: "failed" }],
      [found({ deliveries: late }), { deliveries: "failed" }],
      [
        { askDatabase: () => Promise.reject(new Error("connection refused")) },
        { database: "failed", workers: "unknown", turns: "unknown", deliveries: "unknown" },
      ],
    ];
    for (const [parts, wrong] of cases) {
      const told = await createHealth({ ...healthy, ...parts }).examine();
      const notNormal = told.filter(({ state }) => state !== "normal");
      assert.deepEqual(Object.fromEntries(notNormal.map(({ part, state }) => [part, state])), wrong);
      for (const { part, state, advice } of told) {
        assert.equal(advice !== null, state === "failed");
        if (part !== "database" && part !== "workers" && advice !== null)
          assert.match(advice, /Restate.*quorum/);
      }
    }
  });

  it("health does not wait for a database that hangs", async () => {
    const begun = performance.now();
    assert.equal(await isNormal({ askDatabase: () => new Promise(() => undefined) }), false);
    atMost(performance.now() - begun, 2_000, "a database that hangs is given up");
  });

  it("health is ready without engine and workers and while work is late", async () => {
    assert.equal(await isReady(engineIs({ hasAnswered: false })), true);
    assert.equal(await isReady(found({ workerSilentMs: 3_600_000 })), true);
    assert.equal(await isReady(found({ turns: late, deliveries: late })), true);
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
