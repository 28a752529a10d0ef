import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createConcurrencyLimit, type ConcurrencyLimitOptions } from "./concurrency-limit.ts";

const CAP_AT_FIRST = 16;
const ALIVE = { isAlive: true, latencyMs: 20 };
const SLOW = { ...ALIVE, latencyMs: 1_001 };
const FAILED = { isAlive: false, latencyMs: 20 };

function openLimit(options: Partial<ConcurrencyLimitOptions> = {}) {
  const limit = createConcurrencyLimit({
    inFlightMax: 1_000,
    destinationMax: 256,
    liveWorkers: () => 1,
    ...options,
  });
  return {
    ...limit,
    /** How many of `count` calls get a permit; the others have waited in vain. */
    async admitted(count: number, agentId = "agent", destinationId = "desk"): Promise<number> {
      const entering = Array.from({ length: count }, () => limit.acquire(agentId, destinationId));
      return (await Promise.all(entering)).filter(Boolean).length;
    },
  };
}

describe("concurrency limit of a destination", () => {
  it("the concurrency limit admits 16 attempts at first and rejects the next after a short wait", async () => {
    const limit = openLimit();
    assert.equal(await limit.admitted(CAP_AT_FIRST + 3), CAP_AT_FIRST);
    assert.equal(limit.capacityOf("desk"), CAP_AT_FIRST);
    assert.equal(await limit.admitted(1, "agent", "other"), 1, "another destination has places of its own");
  });

  it("the concurrency limit gives a released slot to a waiting attempt", async () => {
    const limit = openLimit();
    await limit.admitted(CAP_AT_FIRST);
    const waiting = limit.acquire("agent", "desk");
    limit.release("agent", "desk");
    assert.equal(await waiting, true);
  });

  it("the concurrency limit grows with quick answers while it is used, up to the destination's maximum", async () => {
    const limit = openLimit({ destinationMax: 20 });
    for (let answers = 0; answers < 100; answers += 1) limit.note("desk", ALIVE);
    assert.equal(limit.capacityOf("desk"), CAP_AT_FIRST, "nobody used the places there were");
    let inFlight = await limit.admitted(CAP_AT_FIRST);
    for (let answers = 0; answers < 100; answers += 1) {
      limit.note("desk", ALIVE);
      if (limit.capacityOf("desk") > inFlight) inFlight += await limit.admitted(1);
    }
    assert.equal(limit.capacityOf("desk"), 20);
  });

  it("the concurrency limit shrinks by a twentieth with each slow answer, to two at least", () => {
    const limit = openLimit();
    limit.note("desk", SLOW);
    assert.equal(limit.capacityOf("desk"), 15);
    for (let answers = 0; answers < 200; answers += 1) limit.note("desk", SLOW);
    assert.equal(limit.capacityOf("desk"), 2);
  });

  it("the concurrency limit halves with each failure, to one at least", () => {
    const limit = openLimit();
    const places = Array.from({ length: 6 }, () => {
      limit.note("desk", FAILED);
      return limit.capacityOf("desk");
    });
    assert.deepEqual(places, [8, 4, 2, 1, 1, 1]);
  });

  it("the concurrency limit divides the destination's maximum among the live workers", async () => {
    let workers = 4;
    const limit = openLimit({ destinationMax: 8, liveWorkers: () => workers });
    assert.equal(await limit.admitted(4), 2);
    assert.equal(limit.capacityOf("desk"), 8, "over all workers");
    workers = 1;
    assert.equal(await limit.admitted(9), 6, "the share of workers that died falls to this one");
    workers = 100;
    assert.equal(await limit.admitted(2, "agent", "other"), 1, "a share is never less than one");
  });
});

describe("fair share of an agent on a worker", () => {
  it("an agent below its fair share is admitted although another has filled the worker", async () => {
    const limit = openLimit({ inFlightMax: 10 });
    assert.equal(await limit.admitted(12, "flood", "desk"), 10, "alone, an agent has the whole worker");
    assert.equal(await limit.admitted(6, "quiet", "other"), 3, "a third: of ten, counting one more to come");
    assert.equal(await limit.admitted(1, "flood", "third"), 0);
  });

  it("a free slot goes to the waiting agent with the fewest attempts in flight", async () => {
    const limit = openLimit({ inFlightMax: 4 });
    await limit.admitted(3, "flood", "desk");
    await limit.admitted(1, "busy", "desk");
    const order: string[] = [];
    const wait = (agentId: string) =>
      limit.acquire(agentId, "desk").then((entered) => {
        if (entered) order.push(agentId);
      });
    const waiting = [wait("flood"), wait("flood"), wait("busy")];
    limit.release("flood", "desk");
    limit.release("flood", "desk");
    await Promise.all(waiting);
    assert.deepEqual(order, ["busy", "flood"]);
  });

  it("an agent with nothing in flight takes no share from others", async () => {
    const limit = openLimit({ inFlightMax: 6 });
    assert.equal(await limit.admitted(1, "gone", "desk"), 1);
    limit.release("gone", "desk");
    assert.equal(await limit.admitted(6, "flood", "desk"), 6);
    assert.equal(await limit.admitted(4, "quiet", "other"), 2, "a third of six, not a quarter");
  });
});
