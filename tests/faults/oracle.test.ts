import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CLEAN } from "../support/ledger.ts";
import type { Verdict } from "../support/ledger.ts";
import type { Mutation } from "../support/mutant-module.ts";
import { POISON, runScenario, UNLUCKY, WITHOUT_RECONCILER } from "./oracle-scenario.ts";

const DRAIN = "delivery/lanes/drain.ts";

/** The mistakes that deliverers make, sown into the source of the service, and what the oracle must say of each. */
const MISTAKES: { name: string; finding: keyof Verdict; mutations: Mutation[] }[] = [
  {
    name: "a message is acknowledged before it is committed",
    finding: "lost",
    mutations: [
      {
        file: "conversations/send-message.ts",
        find: "const accepted = await acceptMessage(parts, caller, message);",
        replace: `const accepted = { messageId: message.id, seq: 0, calls: [] };
          acceptMessage(parts, caller, message)
            .then(({ calls }) => actAfterCommit(parts, calls))
            .catch(() => undefined);`,
      },
    ],
  },
  {
    name: "a delivery is marked before it is sent",
    finding: "lost",
    mutations: [
      {
        file: DRAIN,
        find: "const attempted = await attemptOne(parts, batch, delivery);",
        replace: `const early = { outcome: { kind: "delivered", status: 200, acknowledged: true }, durationMs: 0 };
          await record(parts, batch, delivery, early, { do: "finish" });
          const attempted = await attemptOne(parts, batch, delivery);`,
      },
    ],
  },
  {
    name: "two deliveries of a lane are sent at once",
    finding: "reordered",
    mutations: [
      {
        file: DRAIN,
        find: "for (const delivery of claim.deliveries) {",
        replace: `const begun = new Map();
          for (const delivery of claim.deliveries) {
            for (const soon of claim.deliveries.filter(({ seq }) => seq >= delivery.seq).slice(0, 2))
              if (!begun.has(soon)) begun.set(soon, attemptOne(parts, batch, soon));`,
      },
      {
        file: DRAIN,
        find: "const attempted = await attemptOne(parts, batch, delivery);",
        replace: "const attempted = await begun.get(delivery);",
      },
    ],
  },
  {
    name: "a repeat has another id",
    finding: "repeatsWithOtherId",
    mutations: [
      {
        file: "delivery/lanes/attempt.ts",
        find: "id: webhookIdOf(delivery),",
        replace: "id: delivery.attempts === 0 ? webhookIdOf(delivery) : crypto.randomUUID(),",
      },
    ],
  },
  {
    name: "a dead letter is dropped silently",
    finding: "lost",
    mutations: [{ file: DRAIN, find: '? "dead" : "pending"', replace: '? "delivered" : "pending"' }],
  },
];

describe("oracle of the fault runs", () => {
  it("the oracle finds nothing wrong with the service", async () => {
    const { verdict, deadLetters, refusals } = await runScenario([]);
    assert.deepEqual({ ...verdict, duplicates: [] }, CLEAN);
    assert.deepEqual(
      deadLetters.map(({ key, sequence }) => [key, sequence]),
      [[POISON, 2]],
    );
    assert.ok(refusals > UNLUCKY.size, `void: only ${refusals} messages were refused`);
  });

  it("the oracle finds nothing wrong when only the engine retries unfinished calls", async () => {
    const { verdict } = await runScenario([], WITHOUT_RECONCILER);
    assert.deepEqual({ ...verdict, duplicates: [] }, CLEAN);
  });

  it("the oracle notices when batched calls are acknowledged before they are done", async () => {
    const find = "const isDone = await Promise.all(readable.map((call) => run(call, tries, ended)));";
    const replace = "const isDone = readable.map((call) => run(call, tries, ended));";
    const mutations = [{ file: "engine/run-batch.ts", find, replace }];
    const { verdict } = await runScenario(mutations, WITHOUT_RECONCILER);
    assert.notEqual(verdict.stuck.length, 0);
  });

  for (const { name, finding, mutations } of MISTAKES) {
    it(`the oracle notices when ${name}`, async () => {
      const { verdict } = await runScenario(mutations);
      const counts = Object.entries(verdict).map(([what, found]) => `${what} ${found.length}`);
      assert.notEqual(verdict[finding].length, 0, `nothing ${finding}: ${counts.join(", ")}`);
    });
  }
});
