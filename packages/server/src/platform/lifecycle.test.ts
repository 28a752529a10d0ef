import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { createLifecycle, pause } from "./lifecycle.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

describe("the life of a process", () => {
  it("takes work until it is told to stop, and does not mind being told twice", () => {
    const lifecycle = createLifecycle();
    assert.equal(lifecycle.stopping.aborted, false);
    lifecycle.stop();
    lifecycle.stop();
    assert.equal(lifecycle.stopping.aborted, true);
  });

  it("goes on taking work while it drains, and drains no longer than it works", () => {
    const lifecycle = createLifecycle();
    lifecycle.drain();
    assert.deepEqual([lifecycle.draining.aborted, lifecycle.stopping.aborted], [true, false]);
    const stoppedAtOnce = createLifecycle();
    stoppedAtOnce.stop();
    assert.equal(stoppedAtOnce.draining.aborted, true);
  });

  it("pauses for as long as asked", async () => {
    const begun = performance.now();
    await pause(30, createLifecycle().stopping);
    assert.ok(performance.now() - begun >= 29);
  });

  it("ends a pause at once when it stops, and begins none afterwards", async () => {
    const lifecycle = createLifecycle();
    const begun = performance.now();
    const pausing = pause(60_000, lifecycle.stopping);
    lifecycle.stop();
    await pausing;
    await pause(60_000, lifecycle.stopping);
    atMost(performance.now() - begun, 5_000, "pauses end");
  });

  it("leaves no listener behind, however many pauses there were", async () => {
    const { stopping } = createLifecycle();
    for (let count = 0; count < 50; count += 1) await pause(0, stopping);
    assert.equal(getEventListeners(stopping, "abort").length, 0);
  });
});
