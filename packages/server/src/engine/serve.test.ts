import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEngine, type Engine as RunningEngine } from "@signalbox/tests/support/engine.ts";
import { eventually, freePort } from "@signalbox/tests/support/processes.ts";
import { createLog } from "../platform/index.ts";
import type { AlarmSlot } from "./alarm.ts";
import { openEngine, type SendFailure } from "./client.ts";
import type { Work } from "./engine-object.ts";
import { objectKey, type ObjectKey } from "./object-key.ts";
import { register } from "./registration.ts";
import { serveEngine } from "./serve.ts";

describe("calls through a real engine", () => {
  const closing = new AsyncDisposableStack();
  let running: RunningEngine;
  let engine: ReturnType<typeof openEngine>;
  let serving: Awaited<ReturnType<typeof serveEngine>>;
  const failures: SendFailure[] = [];
  const made: (Pick<Work, "id" | "callId"> & { isShared: boolean })[] = [];
  const rung: AlarmSlot[] = [];
  let handle: (work: Work) => Promise<void> = () => Promise.resolve();
  before(async () => {
    running = closing.use(await startEngine());
    engine = closing.adopt(
      openEngine({ ingressUrl: running.ingressUrl, onSendFailure: (failure) => void failures.push(failure) }),
      (client) => client.close(),
    );
    const port = await freePort();
    const drain = async (work: Work) => {
      made.push({ id: work.id, callId: work.callId, isShared: work.goAlone !== undefined });
      await handle(work);
    };
    serving = await serveEngine({
      host: "127.0.0.1",
      port,
      identityKeys: [running.identityKey],
      objects: [{ name: "lane", longestMs: 10_000, handlers: { drain } }],
      alarms: [{ name: "timers", ring: async (slot) => void rung.push(slot) }],
      sender: engine,
      log: createLog("silent", {}),
    });
    const address = { adminUrl: running.adminUrl, serviceUri: `http://127.0.0.1:${port}` };
    assert.equal(await register({ ...address, serviceNames: ["lane", "batch", "alarm"] }), true);
  });
  after(() => closing.disposeAsync());
  beforeEach(() => {
    made.length = 0;
    failures.length = 0;
  });

  const newKeys = (count: number): ObjectKey[] =>
    Array.from({ length: count }, () => objectKey(randomUUID(), randomUUID()));
  const send = (keys: ObjectKey[]) => Promise.all(keys.map((key) => engine.send("lane", "drain", key)));
  const madeFor = (key: ObjectKey | undefined) => made.filter(({ id }) => key?.endsWith(id) === true);
  const done = (count: number) =>
    eventually(`${count} calls were made`, () => made.length >= count, { everyMs: 10 });

  it("every call through the engine runs, each with its own id", async () => {
    handle = () => Promise.resolve();
    const keys = newKeys(50);
    assert.ok((await send(keys)).every(Boolean));
    await done(50);
    assert.equal(new Set(made.map(({ callId }) => callId)).size, 50);
    assert.ok(made.every(({ isShared }) => isShared));
  });

  it("a failed call is retried alone under the same id, and the others of its batch are not", async () => {
    const keys = newKeys(5);
    const [poisoned, ...others] = keys;
    handle = async ({ id }) => {
      if (poisoned?.endsWith(id) === true && madeFor(poisoned).length < 4) throw new Error("poison");
    };
    await send(keys);
    await eventually("the one that fails is made four times", () => madeFor(poisoned).length === 4, {
      everyMs: 10,
    });
    assert.equal(new Set(madeFor(poisoned).map(({ callId }) => callId)).size, 1);
    assert.deepEqual(
      madeFor(poisoned).map(({ isShared }) => isShared),
      [true, false, false, false],
    );
    for (const key of others) assert.equal(madeFor(key).length, 1);
    assert.deepEqual(failures, []);
  });

  it("a call continues alone under the same id when it asks to", async () => {
    handle = async ({ goAlone }) => void (await goAlone?.());
    await send(newKeys(1));
    await done(2);
    const [shared, alone] = made;
    assert.deepEqual([shared?.isShared, alone?.isShared], [true, false]);
    assert.equal(alone?.callId, shared?.callId);
  });

  it("a call sent alone with a delay keeps its id in every attempt", async () => {
    handle = () => (made.length < 3 ? Promise.reject(new Error("poison")) : Promise.resolve());
    const [key] = newKeys(1);
    assert.ok(key !== undefined);
    assert.equal(await engine.send("lane", "drain", key, 10), true);
    await done(3);
    assert.equal(new Set(made.map(({ callId }) => callId)).size, 1);
  });

  it("an alarm rings once for all timers in its slot, and not before", async () => {
    const other = openEngine({ ingressUrl: running.ingressUrl });
    try {
      const at = 1_700_000_000_000;
      const slots = [at + 310, at + 320, at + 490].map((dueAt) =>
        [engine, other].map((one) => one.setAlarm("timers", dueAt, at)),
      );
      const begunAt = performance.now();
      assert.ok((await Promise.all(slots.flat())).every(Boolean));
      assert.equal(await engine.setAlarm("timers", at + 600, at), true);
      await eventually("both slots have rung", () => rung.length >= 2, { everyMs: 10 });
      assert.ok(performance.now() - begunAt >= 600, "each rings when its slot has passed");
      assert.deepEqual(rung, [
        { fromMs: at + 250, untilMs: at + 500 },
        { fromMs: at + 500, untilMs: at + 750 },
      ]);
    } finally {
      await other.close();
    }
  });

  it("a stopping worker waits for its calls, also when the engine has disconnected", async () => {
    const gate = Promise.withResolvers<void>();
    handle = () => gate.promise;
    await send(newKeys(1));
    await done(1);
    await running.kill9();
    let isClosed = false;
    const closed = serving.close().then(() => void (isClosed = true));
    // Longer than it takes when nobody is waited for.
    await sleep(200);
    assert.equal(isClosed, false);
    gate.resolve();
    await closed;
  });
});
