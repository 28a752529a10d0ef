import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTimeSlice } from "./time-slice.ts";

const STEP_MS = 3;
const WORKS = 8;
const STEPS = 6;

function compute(): void {
  const until = performance.now() + STEP_MS;
  while (performance.now() < until);
}

describe("time slice", () => {
  it("concurrent work takes time slices in turn, so that the event loop keeps running", async () => {
    const events: ("turn" | "step")[] = [];
    let isOver = false;
    const turn = () => {
      events.push("turn");
      if (!isOver) setImmediate(turn);
    };
    const work = async () => {
      const giveWay = createTimeSlice();
      for (let step = 0; step < STEPS; step += 1) {
        compute();
        events.push("step");
        await giveWay();
      }
    };
    const works = Array.from({ length: WORKS }, work);
    setImmediate(turn);
    await Promise.all(works);
    isOver = true;

    // The first step of each is taken before anybody has given way.
    const turnsOfLoop = events.slice(WORKS).join(" ").split("turn");
    const most = Math.max(...turnsOfLoop.map((events) => events.split("step").length - 1));
    // One after timers and one after I/O: answers that arrived in between were handled.
    assert.ok(most <= 2, `${most} steps in one turn of the event loop`);
  });
});
