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

  it("a failed group is written one by one, so that a bad item fails alone", async () => {
    const { written, commit } = open((items) => {
      if (items.includes(2)) throw failure("a row that cannot be written", "23514");
    });
    const statuses = (await commit([1, 2, 3])).map(({ status }) => status);
    assert.deepEqual(statuses, ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(written, [[1, 2, 3], [1], [2], [3]]);
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

  it("a group whose connection broke is written one by one", async () => {
    const { written, commit } = open((items) => {
      if (items.length > 1) throw failure("Connection terminated unexpectedly");
    });
    await commit([1, 2]);
    assert.deepEqual(written, [[1, 2], [1], [2]]);
  });
});
