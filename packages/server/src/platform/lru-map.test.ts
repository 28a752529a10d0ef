import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LruMap } from "./lru-map.ts";

describe("LRU map", () => {
  it("the LRU map evicts the least recently used entry", () => {
    const map = new LruMap<string, number>(3);
    map.set("a", 1);
    map.set("b", 2);
    map.set("c", 3);
    assert.equal(map.get("a"), 1);
    map.set("d", 4);
    assert.deepEqual(
      ["a", "b", "c", "d"].map((key) => map.get(key)),
      [1, undefined, 3, 4],
    );
    assert.equal(map.size, 3);
  });

  it("setting a known key of an LRU map counts as use and evicts nothing", () => {
    const map = new LruMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    assert.equal(map.size, 2);
    map.set("c", 4);
    assert.deepEqual([map.get("a"), map.get("b"), map.get("c")], [3, undefined, 4]);
    assert.equal(map.delete("a"), true);
    assert.equal(map.get("a"), undefined);
  });
});
