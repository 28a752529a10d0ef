import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGroupCommit } from "./group-commit.ts";

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe("group commit", () => {
  type ReadBack = "repeatable" | ((group: string, items: number[]) => Promise<(number | undefined)[]>);

  function open(write: (items: number[]) => void, readBack: ReadBack = "repeatable") {
    const written: number[][] = [];
    const commit = createGroupCommit<number, number>({
      groupOf: () => "all",
      write: async (_, items) => {
        written.push(items);
        write(items);
        return items.map((item) => 2 * item);
      },
      readBack,
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
      readBack: "repeatable",
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
      readBack: "repeatable",
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

  it("a repeatable group whose connection broke is written again in halves", async () => {
    const { written, commit } = open((items) => {
      if (items.length > 1) throw failure("Connection terminated unexpectedly");
    });
    await commit([1, 2]);
    assert.deepEqual(written, [[1, 2], [1], [2]]);
  });

  /** A write stays, whether its commit is answered or not. */
  function openStored(isAnswered: (tries: number) => boolean) {
    const stored = new Map<number, number>();
    let tries = 0;
    const opened = open(
      (items) => {
        tries += 1;
        if (items.some((item) => stored.has(item))) throw failure("duplicate key", "23505");
        for (const item of items) stored.set(item, tries);
        if (!isAnswered(tries)) throw failure("Connection terminated unexpectedly");
      },
      async (_, items) => items.map((item) => (stored.has(item) ? 2 * item : undefined)),
    );
    return { ...opened, stored };
  }
  const valuesOf = (settled: PromiseSettledResult<number>[]) =>
    settled.map((one) => (one.status === "fulfilled" ? one.value : "rejected"));

  it("a group whose commit was not answered is read back and not written again", async () => {
    for (const items of [[1], [1, 2, 3]]) {
      const { written, commit } = openStored(() => false);
      assert.deepEqual(
        valuesOf(await commit(items)),
        items.map((item) => 2 * item),
      );
      assert.deepEqual(written, [items]);
    }
  });

  it("what was not found is written again, also alone, and once more at most", async () => {
    const broken = failure("Connection terminated unexpectedly");
    let left = 1;
    const { written, commit } = open(
      () => {
        if ((left -= 1) >= 0) throw broken;
      },
      async (_, items) => items.map(() => undefined),
    );
    assert.deepEqual(valuesOf(await commit([1])), [2]);
    left = 2;
    assert.deepEqual(valuesOf(await commit([2])), ["rejected"]);
    assert.deepEqual(written, [[1], [1], [2], [2]]);
  });

  it("an item that a try without an answer commits late is found when it collides", async () => {
    const stored = new Set<number>();
    let tries = 0;
    const { commit } = open(
      (items) => {
        tries += 1;
        if (tries === 1) throw failure("Connection terminated unexpectedly");
        // The first try's commit comes in between.
        for (const item of items) stored.add(item);
        throw failure("duplicate key", "23505");
      },
      async (_, items) => items.map((item) => (stored.has(item) ? 2 * item : undefined)),
    );
    assert.deepEqual(valuesOf(await commit([1, 2])), [2, 4]);
  });

  it("a group that nobody can read back fails with its first error", async () => {
    const { commit } = open(
      () => {
        throw failure("Connection terminated unexpectedly");
      },
      () => Promise.reject(failure("connect ECONNREFUSED", "ECONNREFUSED")),
    );
    const [one] = await commit([1, 2]);
    assert.ok(one?.status === "rejected");
    assert.match(String(one.reason), /terminated/);
  });
});
