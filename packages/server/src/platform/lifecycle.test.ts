import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { createLifecycle, pause } from "./lifecycle.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

describe("process lifecycle", () => {
  it("a process works until it is stopped, and a second stop changes nothing", () => {
    const lifecycle = createLifecycle();
    assert.equal(lifecycle.stopping.aborted, false);
    lifecycle.stop();
    lifecycle.stop();
    assert.equal(lifecycle.stopping.aborted, true);
  });

  it("a draining process continues to work, and a stopped one is draining too", () => {
    const lifecycle = createLifecycle();
    lifecycle.drain();
    assert.deepEqual([lifecycle.draining.aborted, lifecycle.stopping.aborted], [true, false]);
    const stoppedAtOnce = createLifecycle();
    stoppedAtOnce.stop();
    assert.equal(stoppedAtOnce.draining.aborted, true);
  });

  it("a pause lasts as long as requested", async () => {
    const begun = performance.now();
    await pause(30, createLifecycle().stopping);
    assert.ok(performance.now() - begun >= 29);
  });

  it("a stop ends a running pause at once, and later pauses do not start", async () => {
    const lifecycle = createLifecycle();
    const begun = performance.now();
    const pausing = pause(60_000, lifecycle.stopping);
    lifecycle.stop();
    await pausing;
    await pause(60_000, lifecycle.stopping);
    atMost(performance.now() - begun, 5_000, "pauses end");
  });

  it("a pause leaves no listener behind", async () => {
    const { stopping } = createLifecycle();
    for (let count = 0; count < 50; count += 1) await pause(0, stopping);
    assert.equal(getEventListeners(stopping, "abort").length, 0);
  });
});
