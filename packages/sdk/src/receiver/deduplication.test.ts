import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryStore } from "./deduplication.ts";

describe("in-memory deduplication store", () => {
  it("the store lets one caller claim an id, and another after a release", async () => {
    const store = createMemoryStore();
    assert.equal(await store.claim("a"), "claimed");
    assert.equal(await store.claim("a"), "in_progress");
    await store.release("a");
    assert.equal(await store.claim("a"), "claimed");
    await store.confirm("a");
    assert.equal(await store.claim("a"), "handled");
  });

  it("the store forgets old ids, and the oldest when there are too many", async () => {
    const small = createMemoryStore({ max: 2 });
    for (const id of ["a", "b", "c", "d"]) {
      await small.claim(id);
      await small.confirm(id);
    }
    assert.equal(await small.claim("d"), "handled");
    assert.equal(await small.claim("a"), "claimed");
    const short = createMemoryStore({ keepMs: 20 });
    await short.claim("a");
    await short.confirm("a");
    await sleep(40);
    assert.equal(await short.claim("a"), "claimed");
  });
});
