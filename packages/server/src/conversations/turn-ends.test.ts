import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import { createTurnEnds, type FollowedTurn } from "./turn-ends.ts";

describe("turn ends", () => {
  const isTold = async ({ ended }: FollowedTurn) =>
    Promise.race([ended.then(() => true), nextTurnOfTheLoop(false)]);

  it("the end of a turn is told to everybody who waits in its conversation, and to nobody else", async () => {
    const ends = createTurnEnds();
    using first = ends.follow("a");
    using second = ends.follow("a");
    using other = ends.follow("b");
    ends.tell("a");
    assert.deepEqual(await Promise.all([first, second, other].map(isTold)), [true, true, false]);
  });

  it("an end between a look and the wait for it is not missed", async () => {
    const ends = createTurnEnds();
    using followed = ends.follow("a");
    ends.tell("a");
    await nextTurnOfTheLoop();
    assert.equal(await isTold(followed), true);
  });

  it("who has stopped waiting for a turn does not keep others from being told", async () => {
    const ends = createTurnEnds();
    const gone = ends.follow("a");
    using stays = ends.follow("a");
    gone[Symbol.dispose]();
    using later = ends.follow("a");
    ends.tell("a");
    assert.deepEqual(await Promise.all([gone, stays, later].map(isTold)), [false, true, true]);
  });
});
