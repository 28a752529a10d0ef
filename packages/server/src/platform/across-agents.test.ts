import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCommitAcrossAgents, LOCKED, type LockedRows } from "./across-agents.ts";
import { createLog } from "./log.ts";

interface Item {
  agentId: string;
  name: string;
}

describe("commit across agents", () => {
  function open(isLocked: (item: Item) => boolean) {
    const written: { names: string[]; lockedRows: LockedRows }[] = [];
    const waiting = Promise.withResolvers<void>();
    const commit = createCommitAcrossAgents<Item, string>({
      agentOf: ({ agentId }) => agentId,
      write: async (items, lockedRows) => {
        written.push({ names: items.map(({ name }) => name), lockedRows });
        if (lockedRows === "wait") await waiting.promise;
        return items.map((item) => (lockedRows === "skip" && isLocked(item) ? LOCKED : `${item.name}!`));
      },
      readBack: "repeatable",
      log: createLog("silent", {}),
    });
    return { written, commit, unlock: waiting.resolve };
  }
  const one = { agentId: "1", name: "one" };
  const two = { agentId: "2", name: "two" };

  it("items of different agents share a batch", async () => {
    const { written, commit } = open(() => false);
    assert.deepEqual(await Promise.all([commit(one), commit(two)]), ["one!", "two!"]);
    assert.deepEqual(written, [{ names: ["one", "two"], lockedRows: "skip" }]);
  });

  it("an agent whose row stays locked waits alone, and the others do not wait for it", async () => {
    const { written, commit, unlock } = open(({ name }) => name === "one");
    const held = commit(one);
    assert.equal(await commit(two), "two!");
    while (written.at(-1)?.lockedRows !== "wait") await new Promise(setImmediate);
    assert.equal(await commit({ agentId: "3", name: "three" }), "three!");
    assert.deepEqual(
      written.filter(({ lockedRows }) => lockedRows === "wait"),
      [{ names: ["one"], lockedRows: "wait" }],
    );
    unlock();
    assert.equal(await held, "one!");
  });

  it("an item whose row is free again by the next batch is written there", async () => {
    let locked = 2;
    const { written, commit } = open(() => (locked -= 1) >= 0);
    assert.equal(await commit(one), "one!");
    assert.deepEqual(
      written.map(({ lockedRows }) => lockedRows),
      ["skip", "skip", "skip"],
    );
  });
});
