import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBriefCache } from "./brief-cache.ts";

describe("brief cache", () => {
  it("the cache reads once for a burst, and again when the entry has expired", async () => {
    const cached = createBriefCache<number>({ forMs: 20, most: 10 });
    let reads = 0;
    const read = async () => (reads += 1);
    assert.deepEqual(await Promise.all([cached("a", read), cached("a", read)]), [1, 1]);
    const begun = performance.now();
    while (performance.now() - begun < 25) await new Promise(setImmediate);
    assert.equal(await cached("a", read), 2);
  });

  it("the cache evicts the oldest entry when it is full", async () => {
    const cached = createBriefCache<string>({ forMs: 60_000, most: 2 });
    const read: string[] = [];
    const get = (key: string) => cached(key, async () => (read.push(key), key));
    for (const key of ["a", "b", "c", "b", "a"]) await get(key);
    assert.deepEqual(read, ["a", "b", "c", "a"]);
  });

  it("the cache does not store a failed read", async () => {
    const cached = createBriefCache<string>({ forMs: 60_000, most: 2 });
    await assert.rejects(cached("a", () => Promise.reject(new Error("away"))));
    assert.equal(await cached("a", async () => "back"), "back");
  });
});
