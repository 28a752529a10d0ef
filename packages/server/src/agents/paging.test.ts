import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Refusal } from "../platform/index.ts";
import { pageOfRows, pageStart } from "./paging.ts";

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const page = (count: number, limit: number) =>
  pageOfRows(rows("e", "d", "c", "b", "a").slice(0, count), limit, ({ id }) => id);

describe("pages", () => {
  it("a page has the requested length, and a next_cursor only when more follows", () => {
    assert.deepEqual(page(4, 3), { list: ["e", "d", "c"], next_cursor: "c" });
    assert.deepEqual(page(3, 3), { list: ["e", "d", "c"], next_cursor: null });
    assert.deepEqual(page(1, 3), { list: ["e"], next_cursor: null });
    assert.deepEqual(page(0, 3), { list: [], next_cursor: null });
  });

  it("a page begins after its cursor, and the first above every id", () => {
    const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
    assert.equal(pageStart(id), id);
    const first = pageStart(undefined);
    assert.ok(typeof first === "string" && first > id);
  });

  it("a cursor that is not an id is refused", () => {
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
