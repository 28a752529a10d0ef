import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGroupCommit } from "./group-commit.ts";

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe("what many ask for at the same moment", () => {
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

  it("is written together, and each is given its own result", async () => {
    const { written, commit } = open(() => undefined);
    assert.deepEqual(
      (await commit([1, 2, 3])).map((one) => one.status === "fulfilled" && one.value),
      [2, 4, 6],
    );
    assert.deepEqual(written, [[1, 2, 3]]);
  });

  it("is written one by one when it fails, so that a bad one fails alone", async () => {
    const { written, commit } = open((items) => {
      if (items.includes(2)) throw failure("a row that cannot be written", "23514");
    });
    const statuses = (await commit([1, 2, 3])).map(({ status }) => status);
    assert.deepEqual(statuses, ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(written, [[1, 2, 3], [1], [2], [3]]);
  });

  it("fails together when the database takes no connection, which none of them could change", async () => {
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

  it("is still written one by one when a connection broke: one of them may have broken it", async () => {
    const { written, commit } = open((items) => {
      if (items.length > 1) throw failure("Connection terminated unexpectedly");
    });
    await commit([1, 2]);
    assert.deepEqual(written, [[1, 2], [1], [2]]);
  });
});
