import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { joinLeaderElection, createLifecycle, createLog, createMetrics } from "../platform/index.ts";
import { runReconciler, type Sweep } from "./reconciler.ts";

const INTERVAL_MS = 20;

describe("reconciler", () => {
  let rows: Rows;
  /** Stands where the engine's admin address is. */
  let admin: Receiver;
  before(async () => {
    rows = await openRows();
    admin = await startReceiver();
  });
  after(async () => {
    await admin.close();
    await rows[Symbol.asyncDispose]();
  });

  function start(sweeps: Sweep[], serviceNames: string[] = []) {
    const lifecycle = createLifecycle();
    const metrics = createMetrics();
    const running = runReconciler({
      election: joinLeaderElection(rows.url, 60_000, () => undefined),
      registration: { adminUrl: admin.url, serviceUri: "http://127.0.0.1:9", serviceNames },
      sweeps,
      intervalMs: INTERVAL_MS,
      stopping: lifecycle.stopping,
      log: createLog("silent", {}),
      metrics,
    });
    const leads = async () => (await metrics.reconcilerLeads.get()).values[0]?.value === 1;
    return {
      leads,
      found: async (sweep: string) =>
        (await metrics.reconciled.get()).values.find(({ labels }) => labels.sweep === sweep)?.value ?? 0,
      async stop() {
        lifecycle.stop();
        await running;
      },
    };
  }

  function counting(name: string, run: () => number = () => 0): Sweep & { runs: number } {
    const sweep: Sweep & { runs: number } = {
      name,
      runs: 0,
      run: async () => {
        sweep.runs += 1;
        return run();
      },
    };
    return sweep;
  }
  const ran = (sweep: { name: string; runs: number }, times: number) =>
    eventually(`${sweep.name} ran ${times} times`, () => sweep.runs >= times, { everyMs: 10 });

  it("the reconciler runs on one of two workers, and on the other when the first stops", async () => {
    const [one, two] = [counting("one"), counting("two")];
    const [first, second] = [start([one]), start([two])];
    try {
      await eventually("one of the two leads", () => one.runs + two.runs >= 5, { everyMs: 10 });
      assert.equal(Math.min(one.runs, two.runs), 0, "both work");
      const [leader, other, waiting] = one.runs > 0 ? [first, second, two] : [second, first, one];
      assert.deepEqual([await leader.leads(), await other.leads()], [true, false]);
      await leader.stop();
      await ran(waiting, 3);
      assert.equal(await other.leads(), true);
    } finally {
      await first.stop();
      await second.stop();
    }
  });

  it("the reconciler continues with other sweeps when one fails, and retries that one", async () => {
    const broken = counting("broken", () => {
      throw new Error("a sweep failed");
    });
    const next = counting("next", () => 2);
    const reconciler = start([broken, next]);
    await ran(next, 3);
    await ran(broken, 3);
    await reconciler.stop();
    assert.equal(await reconciler.found("next"), 2 * next.runs);
    assert.equal(await reconciler.found("broken"), 0);
  });

  it("the reconciler runs expensive sweeps less often", async () => {
    const often = counting("often");
    const seldom = counting("seldom");
    seldom.everyMs = 60_000;
    const reconciler = start([often, seldom]);
    await ran(often, 5);
    await reconciler.stop();
    assert.equal(seldom.runs, 1);
  });

  it("the reconciler registers with an engine that has no deployment, and not with one that has or does not answer", async () => {
    const isRegistration = ({ method, path }: { method: string; path: string }) =>
      method === "POST" && path === "/deployments";
    let knows = false;
    let answersWell = true;
    admin.respond((request) => {
      if (!answersWell) return { status: 503 };
      if (isRegistration(request)) {
        knows = true;
        return { status: 201 };
      }
      return { status: knows ? 200 : 404 };
    });
    const registrations = () => admin.requests.filter(isRegistration);
    const tick = counting("tick");
    const reconciler = start([tick], ["lane", "turn"]);
    try {
      await ran(tick, 4);
      assert.equal(registrations().length, 1);
      assert.deepEqual(registrations()[0]?.body, { uri: "http://127.0.0.1:9", force: true });
      answersWell = false;
      await ran(tick, tick.runs + 3);
      answersWell = true;
      await ran(tick, tick.runs + 3);
      assert.equal(registrations().length, 1);
      knows = false;
      await eventually("registered again", () => registrations().length === 2, { everyMs: 10 });
      await eventually("both are counted", async () => (await reconciler.found("registration")) === 2);
    } finally {
      await reconciler.stop();
    }
  });
});
