import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGroupCommit } from "./group-commit.ts";

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe("group commit", () => {
  function open(write: (items: number[]) => void) {
    const written: number[][] = [];
    const commit = createGroupCommit<number, number>({
      groupOf: () => "all",
      write: async (_, items) => {
        written.push(items);
        write(items);
        return items.map((item) => 2 * item);
      },
    });
    return { written, commit: (items: number[]) => Promise.allSettled(items.map(commit)) };
  }

  it("items of the same moment are written together, and each gets its own result", async () => {
    const { written, commit } = open(() => undefined);
    assert.deepEqual(
      (await commit([1, 2, 3])).map((one) => one.status === "fulfilled" && one.value),
      [2, 4, 6],
    );
    assert.deepEqual(written, [[1, 2, 3]]);
  });

  it("a failed group is halved until the bad item fails alone", async () => {
    const { written, commit } = open((items) => {
      if (items.includes(2)) throw failure("a row that cannot be written", "23514");
    });
    const statuses = (await commit([1, 2, 3, 4])).map(({ status }) => status);
    assert.deepEqual(statuses, ["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    assert.deepEqual(written, [[1, 2, 3, 4], [1, 2], [1], [2], [3, 4]]);
  });

  it("a share with one item is written in the next batch while another share has thousands", async () => {
    const written: string[][] = [];
    const commit = createGroupCommit<string, string>({
      groupOf: () => "all",
      shareOf: (item) => item.slice(0, 1),
      write: async (_, items) => {
        written.push(items);
        return items;
      },
    });
    const flood = Array.from({ length: 2_000 }, (_, index) => commit(`a${index}`));
    const others = ["b", "c"].map(commit);
    await Promise.all([...flood, ...others]);
    assert.deepEqual(written[0]?.slice(0, 4), ["a0", "b", "c", "a1"]);
    assert.equal(written[0]?.length, 200);
    const ofFlood = written.flat().filter((item) => item.startsWith("a"));
    assert.deepEqual(
      ofFlood,
      Array.from({ length: 2_000 }, (_, index) => `a${index}`),
      "each once, in order",
    );
  });

  it("a batch begins with the shares that the batch before it did not reach", async () => {
    const written: string[][] = [];
    const commit = createGroupCommit<string, string>({
      groupOf: () => "all",
      shareOf: (item) => item.slice(0, 3),
      write: async (_, items) => {
        written.push(items);
        return items;
      },
    });
    const shares = Array.from({ length: 300 }, (_, index) => String(1_000 + index).slice(1));
    await Promise.all(shares.flatMap((share) => [commit(`${share} first`), commit(`${share} second`)]));
    assert.deepEqual(
      written.flat().slice(0, 300),
      shares.map((share) => `${share} first`),
    );
  });

  it("a group fails as a whole when the database accepts no connection", async () => {
    for (const away of [
      failure("connect ECONNREFUSED", "ECONNREFUSED"),
      failure("the database system is starting up", "57P03"),
      failure("timeout exceeded when trying to connect"),
      new AggregateError([failure("connect ECONNREFUSED", "ECONNREFUSED")]),
    ]) {
      const { written, commit } = open(() => {
        throw away;
      });
      const statuses = (await commit([1, 2, 3])).map(({ status }) => status);
      assert.deepEqual(statuses, ["rejected", "rejected", "rejected"]);
      assert.deepEqual(written, [[1, 2, 3]], away.message);
    }
  });

  it("a group whose connection broke is written again in halves", async () => {
    const { written, commit } = open((items) => {
      if (items.length > 1) throw failure("Connection terminated unexpectedly");
    });
    await commit([1, 2]);
    assert.deepEqual(written, [[1, 2], [1], [2]]);
  });
});
