import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFairSemaphore, type FairSemaphore } from "./fair-semaphore.ts";

const LONG_MS = 60_000;

/** The keys served, in order, and a way to release the first permit of a key. */
function watch(semaphore: FairSemaphore) {
  const served: string[] = [];
  const releases: { key: string; release: () => void }[] = [];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    served,
    async ask(key: string, name = key) {
      void semaphore.acquire(key, LONG_MS).then((release) => {
        if (release === undefined) return;
        served.push(name);
        releases.push({ key, release });
      });
      await settled();
    },
    async release(key: string) {
      const at = releases.findIndex((held) => held.key === key);
      const [held] = releases.splice(at, 1);
      held?.release();
      await settled();
    },
    async releaseAll() {
      while (releases.length > 0) await this.release(releases[0]!.key);
    },
  };
}

describe("fair semaphore", () => {
  it("the semaphore serves the key with the fewest permits, however long another queue is", async () => {
    const watched = watch(createFairSemaphore({ permits: 2 }));
    for (let n = 1; n <= 6; n += 1) await watched.ask("greedy", `greedy ${n}`);
    await watched.ask("modest");
    await watched.ask("other");
    assert.deepEqual(watched.served, ["greedy 1", "greedy 2"], "alone it may have all");
    await watched.release("greedy");
    assert.deepEqual(watched.served.slice(2), ["modest"]);
    await watched.release("greedy");
    await watched.release("modest");
    assert.deepEqual(watched.served.slice(3), ["greedy 3", "other"]);
    await watched.releaseAll();
    assert.deepEqual(watched.served.slice(5), ["greedy 4", "greedy 5", "greedy 6"]);
  });

  it("the semaphore alternates between keys with equally many permits", async () => {
    const watched = watch(createFairSemaphore({ permits: 1 }));
    await watched.ask("first");
    for (const key of ["a", "a", "a", "b", "b"]) await watched.ask(key);
    await watched.releaseAll();
    assert.deepEqual(watched.served, ["first", "a", "b", "a", "b", "a"]);
  });

  it("the semaphore gives one key no more than its share, even while permits are free", async () => {
    const semaphore = createFairSemaphore({ permits: 3, permitsPerKey: 2 });
    const watched = watch(semaphore);
    for (let n = 0; n < 3; n += 1) await watched.ask("greedy");
    assert.equal(semaphore.isAtShare("greedy"), true);
    await watched.ask("modest");
    assert.deepEqual(watched.served, ["greedy", "greedy", "modest"]);
    await watched.release("modest");
    assert.deepEqual(watched.served, ["greedy", "greedy", "modest"], "a free permit is not for it");
    await watched.release("greedy");
    assert.deepEqual(watched.served, ["greedy", "greedy", "modest", "greedy"]);
  });

  it("the semaphore rejects a wait that is too long and a queue that is too full", async () => {
    const semaphore = createFairSemaphore({ permits: 1, waitingPerKey: 1 });
    const release = await semaphore.acquire("key", 0);
    assert.ok(release !== undefined);
    const late = semaphore.acquire("key", 20);
    assert.equal(await semaphore.acquire("key", LONG_MS), undefined, "one of this key waits already");
    assert.equal(await late, undefined);
    const ending = new AbortController();
    const calledOff = semaphore.acquire("key", LONG_MS, ending.signal);
    ending.abort();
    assert.equal(await calledOff, undefined);
    assert.equal(await semaphore.acquire("key", LONG_MS, ending.signal), undefined);
    const next = semaphore.acquire("key", LONG_MS);
    release();
    release();
    assert.ok((await next) !== undefined, "who gave up is not served");
    assert.equal(await semaphore.acquire("other", 0), undefined, "a permit released twice is one permit");
  });
});
