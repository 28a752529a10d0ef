import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { ALWAYS, CLEAN } from "../support/ledger.ts";
import {
  drained,
  judgeLoad,
  LOAD_ENVIRONMENT,
  prepareLoad,
  startLoad,
  undelivered,
} from "../support/load.ts";
import type { Load } from "../support/load.ts";
import { eventually } from "../support/processes.ts";

const CONVERSATIONS = 30;
const MESSAGES_EACH = 30;
const MESSAGES = CONVERSATIONS * MESSAGES_EACH;
const UNDELIVERED_MIN = 100;
const REGISTRATIONS = 5;
const HEAL_MS = 60_000;

describe("engine that lost its disk under load", () => {
  const closing = new AsyncDisposableStack();
  let bed: Bed;
  let load: Load;
  let gate = Promise.withResolvers<void>();
  let delayMs = 10;
  before(async () => {
    bed = closing.use(await openBed({ environment: LOAD_ENVIRONMENT }));
    gate.resolve();
    bed.receiver.respond(async () => {
      await gate.promise;
      return { delayMs };
    });
    const target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach: MESSAGES_EACH });
    load = startLoad(bed, target, MESSAGES / 3);
    closing.defer(() => load.stop());
  });
  after(() => closing.disposeAsync());

  const processes = () => [...bed.apis, ...bed.workers].map((one) => `${one.pid()} ${one.startTime()}`);
  const arrivals = () => bed.receiver.requests.length;
  /** Undefined when the engine knows no such object. */
  async function revisionOf(object: string): Promise<number | undefined> {
    const response = await fetch(`${bed.engine.adminUrl}/services/${object}`);
    const found = (await response.json()) as { revision?: number };
    return response.status === 200 ? found.revision : undefined;
  }

  it("a wiped engine starts empty and is registered by the running workers", async () => {
    gate = Promise.withResolvers<void>();
    await eventually("enough is under way", async () => (await undelivered(bed)) >= 2 * UNDELIVERED_MIN, {
      timeoutMs: HEAL_MS,
    });
    gate.resolve();
    const seen = arrivals();
    await eventually("messages flow", () => arrivals() >= seen + 10, { everyMs: 5 });
    const [before, startedBefore] = [processes(), bed.engine.startTime()];
    const waiting = await undelivered(bed);
    assert.ok(waiting >= UNDELIVERED_MIN, `void: only ${waiting} were undelivered`);
    assert.notEqual(readdirSync(bed.engine.dataDirectory).length, 0);
    await bed.engine.wipe();
    const wipedAt = performance.now();
    await bed.engine.start();
    assert.notEqual(bed.engine.startTime(), startedBefore);

    load.allow((MESSAGES * 2) / 3);
    for (const object of ["lane", "turn"])
      await eventually(
        `${object} is registered again`,
        async () => (await revisionOf(object)) !== undefined,
        {
          timeoutMs: HEAL_MS,
        },
      );
    const registeredMs = Math.round(performance.now() - wipedAt);
    await load.acceptedCount((MESSAGES * 2) / 3, HEAL_MS);
    await drained(bed, HEAL_MS);
    const drainedMs = Math.round(performance.now() - wipedAt);
    console.log(JSON.stringify({ waiting, registeredMs, drainedMs }));
    assert.deepEqual(processes(), before, "nobody had to be restarted");
  });

  it("a wiped engine is registered again, with calls in flight and by a replaced worker", async () => {
    const before = await revisionOf("lane");
    const [deployment] = (
      (await (await fetch(`${bed.engine.adminUrl}/deployments`)).json()) as {
        deployments: { uri: string }[];
      }
    ).deployments;
    const seen = arrivals();
    delayMs = 100;
    load.allow(Number.POSITIVE_INFINITY);
    await eventually("messages flow", () => arrivals() >= seen + 10, { timeoutMs: HEAL_MS, everyMs: 5 });
    for (let time = 0; time < REGISTRATIONS; time += 1) {
      const response = await fetch(`${bed.engine.adminUrl}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: deployment?.uri, force: true }),
      });
      assert.ok(response.ok, await response.text());
      const flowing = arrivals();
      await eventually("messages flow on", () => arrivals() > flowing, { timeoutMs: HEAL_MS, everyMs: 5 });
    }
    assert.equal(await bed.worker(0).stop(), 0);
    assert.ok((await undelivered(bed)) > 0, "void: all was delivered before the worker was replaced");
    await bed.worker(0).start();
    const after = await revisionOf("lane");
    assert.ok(
      before !== undefined && after !== undefined && after >= before + REGISTRATIONS,
      `from revision ${before} to ${after}`,
    );
    await load.acceptedCount(MESSAGES, HEAL_MS);
    await drained(bed, HEAL_MS);
  });

  it("a wiped engine loses and reorders nothing, and every repeat has the same id and body", () => {
    const verdict = judgeLoad(bed, load, { faults: [ALWAYS] });
    console.log(JSON.stringify({ accepted: load.accepted.length, repeats: verdict.duplicates.length }));
    assert.equal(load.accepted.length, MESSAGES);
    assert.deepEqual([...load.failures], []);
    assert.deepEqual({ ...verdict, duplicates: [] }, CLEAN);
  });
});
