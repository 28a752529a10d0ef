import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOrderKeeper, placeInOrder } from "./order.ts";

describe("order of calls in a lane", () => {
  it("a call in a lane is next, after a gap, or late", () => {
    assert.equal(placeInOrder(undefined, 1), "next");
    assert.equal(placeInOrder(undefined, 2), "gap");
    assert.equal(placeInOrder(3, 4), "next");
    assert.equal(placeInOrder(3, 5), "gap");
    assert.equal(placeInOrder(3, 3), "late");
    assert.equal(placeInOrder(3, 2), "late");
  });

  it("the order is tracked for each lane, and a late call does not change it", () => {
    const keeper = createOrderKeeper();
    const places = (laneId: string, ...sequences: number[]) =>
      sequences.map((sequence) => keeper.place({ laneId, sequence }));
    assert.deepEqual(places("a", 7, 8, 10, 9, 11), ["next", "next", "gap", "late", "next"]);
    assert.deepEqual(places("b", 1, 2), ["next", "next"]);
    assert.deepEqual(places("a", 12), ["next"]);
    assert.equal(keeper.place({ laneId: "a", sequence: undefined }), undefined);
  });

  it("the order of the least recently used lanes is forgotten", () => {
    const keeper = createOrderKeeper({ max: 2 });
    for (const laneId of ["a", "b", "a", "c"]) keeper.place({ laneId, sequence: 5 });
    assert.equal(keeper.place({ laneId: "a", sequence: 5 }), "late");
    assert.equal(keeper.place({ laneId: "b", sequence: 5 }), "next");
  });
});
