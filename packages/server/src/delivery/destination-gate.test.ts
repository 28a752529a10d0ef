import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDestinationGate, type GateOptions } from "./destination-gate.ts";

const CAP_AT_FIRST = 16;
const ALIVE = { lives: true, laneId: "lane", latencyMs: 20 };
const SLOW = { ...ALIVE, latencyMs: 1_001 };
const failedOn = (laneId: string) => ({ lives: false, laneId, latencyMs: 20 });

function openGate(options: Partial<GateOptions> = {}) {
  const clock = { nowMs: 0 };
  const gate = createDestinationGate({
    inFlightMax: 1_000,
    destinationMax: 256,
    liveWorkers: () => 1,
    now: () => clock.nowMs,
    ...options,
  });
  return {
    ...gate,
    clock,
    /** How many of so many come in; the others have waited in vain. */
    async admitted(count: number, agentId = "agent", destinationId = "desk"): Promise<number> {
      const entering = Array.from({ length: count }, () => gate.enter(agentId, destinationId));
      return (await Promise.all(entering)).filter(Boolean).length;
    },
  };
}

describe("the concurrency limit of a destination", () => {
  it("lets 16 attempts in at first, and gives up on the next after a moment", async () => {
    const gate = openGate();
    assert.equal(await gate.admitted(CAP_AT_FIRST + 3), CAP_AT_FIRST);
    assert.equal(gate.placesAt("desk"), CAP_AT_FIRST);
    assert.equal(await gate.admitted(1, "agent", "other"), 1, "another destination has places of its own");
  });

  it("gives a place that becomes free to whoever waits", async () => {
    const gate = openGate();
    await gate.admitted(CAP_AT_FIRST);
    const waiting = gate.enter("agent", "desk");
    gate.leave("agent", "desk");
    assert.equal(await waiting, true);
  });

  it("grows with quick answers while it is in use, up to the destination's maximum", async () => {
    const gate = openGate({ destinationMax: 20 });
    for (let answers = 0; answers < 100; answers += 1) gate.note("desk", ALIVE);
    assert.equal(gate.placesAt("desk"), CAP_AT_FIRST, "nobody used the places there were");
    let inFlight = await gate.admitted(CAP_AT_FIRST);
    for (let answers = 0; answers < 100; answers += 1) {
      gate.note("desk", ALIVE);
      if (gate.placesAt("desk") > inFlight) inFlight += await gate.admitted(1);
    }
    assert.equal(gate.placesAt("desk"), 20);
  });

  it("shrinks by a twentieth with each slow answer, to no less than two", () => {
    const gate = openGate();
    gate.note("desk", SLOW);
    assert.equal(gate.placesAt("desk"), 15);
    for (let answers = 0; answers < 200; answers += 1) gate.note("desk", SLOW);
    assert.equal(gate.placesAt("desk"), 2);
  });

  it("halves with each failure, to no less than one", () => {
    const gate = openGate();
    const places = Array.from({ length: 6 }, () => {
      gate.note("desk", failedOn("lane"));
      return gate.placesAt("desk");
    });
    assert.deepEqual(places, [8, 4, 2, 1, 1, 1]);
  });

  it("shares the destination's maximum among the workers that live", async () => {
    let workers = 4;
    const gate = openGate({ destinationMax: 8, liveWorkers: () => workers });
    assert.equal(await gate.admitted(4), 2);
    assert.equal(gate.placesAt("desk"), 8, "over all workers");
    workers = 1;
    assert.equal(await gate.admitted(9), 6, "the share of workers that died falls to this one");
    workers = 100;
    assert.equal(await gate.admitted(2, "agent", "other"), 1, "a share is never less than one");
  });
});

describe("the trip rule of a destination's circuit breaker", () => {
  const trips = (gate: ReturnType<typeof openGate>, lanes: string[]) =>
    lanes.map((laneId) => gate.note("desk", failedOn(laneId)));

  it("trips at the fifth failure in a row of several lanes", () => {
    assert.deepEqual(trips(openGate(), ["a", "b", "a", "a", "a", "a"]), [
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it("does not trip on one lane alone before it has failed for ten seconds: its message may be what is refused", () => {
    const gate = openGate();
    const oneLane = Array.from({ length: 20 }, () => "a");
    assert.ok(trips(gate, oneLane).every((trip) => !trip));
    gate.clock.nowMs = 9_999;
    assert.deepEqual(trips(gate, ["a"]), [false]);
    gate.clock.nowMs = 10_000;
    assert.deepEqual(trips(gate, ["a"]), [true]);
  });

  it("does not trip below five failures, however long they take", () => {
    const gate = openGate();
    trips(gate, ["a"]);
    gate.clock.nowMs = 60_000;
    assert.deepEqual(trips(gate, ["b", "c", "d", "e"]), [false, false, false, true]);
  });

  it("counts anew after any answer that shows life, lanes and time included", () => {
    const gate = openGate();
    trips(gate, ["a", "b", "c", "d"]);
    gate.clock.nowMs = 60_000;
    assert.equal(gate.note("desk", ALIVE), false);
    assert.deepEqual(trips(gate, ["a", "a", "a", "a", "a"]), [false, false, false, false, false]);
    assert.deepEqual(trips(gate, ["b"]), [true]);
  });

  it("counts each destination for itself", () => {
    const gate = openGate();
    trips(gate, ["a", "b", "a", "b"]);
    assert.equal(gate.note("other", failedOn("a")), false);
    assert.deepEqual(trips(gate, ["a"]), [true]);
  });
});

describe("the fair share of an agent on a worker", () => {
  it("lets an agent with less than its share in although another has filled the worker", async () => {
    const gate = openGate({ inFlightMax: 10 });
    assert.equal(await gate.admitted(12, "flood", "desk"), 10, "alone, an agent has the whole worker");
    assert.equal(await gate.admitted(6, "quiet", "other"), 3, "a third: of ten, counting one more to come");
    assert.equal(await gate.admitted(1, "flood", "third"), 0);
  });

  it("gives the next place to the waiting agent with the fewest in flight, not to who came first", async () => {
    const gate = openGate({ inFlightMax: 4 });
    await gate.admitted(3, "flood", "desk");
    await gate.admitted(1, "busy", "desk");
    const order: string[] = [];
    const wait = (agentId: string) =>
      gate.enter(agentId, "desk").then((entered) => {
        if (entered) order.push(agentId);
      });
    const waiting = [wait("flood"), wait("flood"), wait("busy")];
    gate.leave("flood", "desk");
    gate.leave("flood", "desk");
    await Promise.all(waiting);
    assert.deepEqual(order, ["busy", "flood"]);
  });

  it("forgets an agent that has nothing in flight, so that it takes no share from others", async () => {
    const gate = openGate({ inFlightMax: 6 });
    assert.equal(await gate.admitted(1, "gone", "desk"), 1);
    gate.leave("gone", "desk");
    assert.equal(await gate.admitted(6, "flood", "desk"), 6);
    assert.equal(await gate.admitted(4, "quiet", "other"), 2, "a third of six, not a quarter");
  });
});
