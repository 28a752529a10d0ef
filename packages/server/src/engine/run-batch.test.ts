import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { createLog } from "../platform/index.ts";
import { writeCall, type Call } from "./call.ts";
import type { CallSender } from "./client.ts";
import type { Work } from "./engine-object.ts";
import { objectKey } from "./object-key.ts";
import { createBatchRunner } from "./run-batch.ts";

type Sent = { how: "alone" | "batch"; ids: string[]; tries: number; delayMs: number };

describe("batched calls", () => {
  const ended = new AbortController().signal;
  const newCalls = (count: number): Call[] =>
    Array.from({ length: count }, () => ({
      object: "lane",
      handler: "drain",
      key: objectKey(randomUUID(), randomUUID()),
      id: randomUUID(),
    }));

  function open(handle: (work: Work) => Promise<void>, isTaken = () => true) {
    const sent: Sent[] = [];
    const sender: CallSender = {
      sendAlone: async ({ id }, delayMs) => {
        sent.push({ how: "alone", ids: [id], tries: 0, delayMs });
        return isTaken();
      },
      sendBatch: async (calls, tries, delayMs) => {
        sent.push({ how: "batch", ids: calls.map(({ id }) => id), tries, delayMs });
        return isTaken();
      },
    };
    const objects = [{ name: "lane" as const, longestMs: 1_000, handlers: { drain: handle } }];
    const runBatch = createBatchRunner({ objects, sender, log: createLog("silent", {}) });
    const run = (calls: Call[], tries = 0) => runBatch({ calls: calls.map(writeCall), tries }, ended);
    return { run, sent };
  }

  it("batched calls run concurrently, each with its own call id, also when retried", async () => {
    const calls = newCalls(3);
    const seen: string[] = [];
    const all = Promise.withResolvers<void>();
    const { run, sent } = open(async ({ agentId, id, callId }) => {
      seen.push(`${objectKey(agentId, id)} ${callId}`);
      if (seen.length === calls.length) all.resolve();
      await all.promise;
    });
    const expected = calls.map(({ key, id }) => `${key} ${id}`);
    await run(calls);
    assert.deepEqual(seen.splice(0), expected);
    await run(calls);
    assert.deepEqual(seen, expected);
    assert.deepEqual(sent, []);
  });

  it("a batched call that fails is retried alone, and the others are acknowledged", async () => {
    const calls = newCalls(3);
    const [poisoned] = calls;
    let done = 0;
    const { run, sent } = open(async ({ callId }) => {
      if (callId === poisoned?.id) throw new Error("poison");
      done += 1;
    });
    await run(calls);
    assert.equal(done, 2);
    assert.deepEqual(sent, [{ how: "alone", ids: [poisoned?.id], tries: 0, delayMs: 200 }]);
  });

  it("batched calls that all fail are retried together with growing backoff, then left to the reconciler", async () => {
    const calls = newCalls(450);
    const { run, sent } = open(() => Promise.reject(new Error("PostgreSQL is away")));
    await run(calls);
    assert.deepEqual(
      sent.map(({ how, ids, tries, delayMs }) => [how, ids.length, tries, delayMs]),
      [200, 200, 50].map((count) => ["batch", count, 1, 200]),
    );
    assert.deepEqual(
      sent.flatMap(({ ids }) => ids),
      calls.map(({ id }) => id),
    );
    const delays: number[] = [];
    for (const tries of [1, 2, 3, 4, 38, 39]) {
      sent.length = 0;
      await run(calls.slice(0, 2), tries);
      delays.push(...sent.map(({ delayMs }) => delayMs));
    }
    assert.deepEqual(delays, [400, 800, 1_600, 2_000, 2_000]);
  });

  it("a batch fails as a whole only when the engine refuses the retry", async () => {
    const [poisoned, well] = newCalls(2);
    assert.ok(poisoned !== undefined && well !== undefined);
    const refuses = open(
      ({ callId }) => (callId === poisoned.id ? Promise.reject(new Error("poison")) : Promise.resolve()),
      () => false,
    );
    await assert.rejects(refuses.run([poisoned, well]), /took no retry/);
    assert.equal(refuses.sent.length, 1);
  });

  it("a slow batched call holds up neither the others nor the retry of a failed one", async () => {
    const calls = newCalls(3);
    const [slow, poisoned] = calls;
    const held = Promise.withResolvers<void>();
    const done: string[] = [];
    const { run, sent } = open(async ({ callId }) => {
      if (callId === slow?.id) await held.promise;
      if (callId === poisoned?.id) throw new Error("poison");
      done.push(callId);
    });
    const running = run(calls);
    await eventually("one is made again", () => sent.length === 1, { everyMs: 5 });
    assert.deepEqual(done, [calls[2]?.id]);
    held.resolve();
    await running;
    assert.deepEqual(done, [calls[2]?.id, slow?.id]);
  });

  it("a batched call can continue alone under the same id", async () => {
    const [call] = newCalls(1);
    assert.ok(call !== undefined);
    const { run, sent } = open(async ({ goAlone }) => assert.equal(await goAlone?.(), true));
    await run([call]);
    assert.deepEqual(sent, [{ how: "alone", ids: [call.id], tries: 0, delayMs: 0 }]);
  });

  it("a batch skips calls to unknown objects and handlers", async () => {
    const [call] = newCalls(1);
    assert.ok(call !== undefined);
    let done = 0;
    const { run } = open(async () => void (done += 1));
    await run([{ ...call, object: "ingest" }, { ...call, handler: "unknown" }, call]);
    assert.equal(done, 1);
  });
});
