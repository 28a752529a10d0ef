import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTripRule } from "./circuit-breaker.ts";

const ALIVE = { isAlive: true, laneId: "lane" };
const failedOn = (laneId: string) => ({ isAlive: false, laneId });

function openRule() {
  const clock = { nowMs: 0 };
  return { ...createTripRule(() => clock.nowMs), clock };
}

describe("trip rule of the circuit breaker", () => {
  const trips = (rule: ReturnType<typeof openRule>, lanes: string[]) =>
    lanes.map((laneId) => rule.note("desk", failedOn(laneId)));

  it("the breaker trips at the fifth consecutive failure of several lanes", () => {
    assert.deepEqual(trips(openRule(), ["a", "b", "a", "a", "a", "a"]), [
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it("a single lane trips the breaker only after it has failed for ten seconds", () => {
    const rule = openRule();
    const oneLane = Array.from({ length: 20 }, () => "a");
    assert.ok(trips(rule, oneLane).every((trip) => !trip));
    rule.clock.nowMs = 9_999;
    assert.deepEqual(trips(rule, ["a"]), [false]);
    rule.clock.nowMs = 10_000;
    assert.deepEqual(trips(rule, ["a"]), [true]);
  });

  it("the breaker does not trip below five failures, however long they take", () => {
    const rule = openRule();
    trips(rule, ["a"]);
    rule.clock.nowMs = 60_000;
    assert.deepEqual(trips(rule, ["b", "c", "d", "e"]), [false, false, false, true]);
  });

  it("any answer that shows life resets the failures, lanes and time of the breaker", () => {
    const rule = openRule();
    trips(rule, ["a", "b", "c", "d"]);
    rule.clock.nowMs = 60_000;
    assert.equal(rule.note("desk", ALIVE), false);
    assert.deepEqual(trips(rule, ["a", "a", "a", "a", "a"]), [false, false, false, false, false]);
    assert.deepEqual(trips(rule, ["b"]), [true]);
  });

  it("the breaker counts each destination separately", () => {
    const rule = openRule();
    trips(rule, ["a", "b", "a", "b"]);
    assert.equal(rule.note("other", failedOn("a")), false);
    assert.deepEqual(trips(rule, ["a"]), [true]);
  });
});
