import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Refusal } from "../platform/index.ts";
import { pageOfRows, pageStart } from "./paging.ts";

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const page = (count: number, limit: number) =>
  pageOfRows(rows("e", "d", "c", "b", "a").slice(0, count), limit, ({ id }) => id);

describe("a page", () => {
  it("holds what was asked for, and its last id leads to the next only when there is one", () => {
    assert.deepEqual(page(4, 3), { list: ["e", "d", "c"], next_cursor: "c" });
    assert.deepEqual(page(3, 3), { list: ["e", "d", "c"], next_cursor: null });
    assert.deepEqual(page(1, 3), { list: ["e"], next_cursor: null });
    assert.deepEqual(page(0, 3), { list: [], next_cursor: null });
  });

  it("begins after its cursor, the first one above every id", () => {
    const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
    assert.equal(pageStart(id), id);
    const first = pageStart(undefined);
    assert.ok(typeof first === "string" && first > id);
  });

  it("has no other cursors than ids", () => {
    for (const cursor of [
      "",
      "1",
      "abc",
      "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21 ",
      "0199F3A2-6C1E-7B44-9D0A-5F2F6F1C8E21",
    ]) {
      const start = pageStart(cursor);
      assert.ok(start instanceof Refusal && start.failure === "badParameter", cursor);
    }
  });
});
