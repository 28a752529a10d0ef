import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { huntMutants, playHistories } from "./campaign.ts";
import { openSimulatedDatabase, type SimulatedDatabase } from "./simulated-database.ts";
import { settle } from "./settle.ts";
import type { Settled } from "./world-parts.ts";

const HISTORIES = 60;
const HISTORIES_FOR_MUTANTS = 300;

// The short form: `npm run histories -- --count 10000 --json` is the long one.
describe("concurrent histories of handoffs", () => {
  const closing = new AsyncDisposableStack();
  const seed = Date.now() % 1_000_000_000;
  let database: SimulatedDatabase;
  let settled: Settled;
  before(async () => {
    const { cluster } = closing.use(await borrowCluster());
    const clone = await cloneDatabase(cluster);
    closing.defer(() => clone.drop());
    database = closing.use(await openSimulatedDatabase(clone.superuserUrl));
    settled = await settle(database);
  });
  after(() => closing.disposeAsync());

  it(`one side speaks at a time, and nothing is lost or out of order (seed ${seed})`, async () => {
    const found = await playHistories(database, settled, { count: HISTORIES, seed });
    const shown = found.map(({ problems, history }) => ({ problems, history: JSON.stringify(history) }));
    assert.deepEqual(shown, []);
  });

  it("every mistake planted in the handoff rules is found by a history", async () => {
    const mutants = await huntMutants(database, settled, { count: HISTORIES_FOR_MUTANTS, seed });
    assert.deepEqual(
      mutants.filter(({ caught }) => caught === undefined).map(({ name }) => name),
      [],
    );
  });
});
