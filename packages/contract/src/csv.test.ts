import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvField, withoutTextMark } from "./csv.ts";

describe("cells of a CSV file", () => {
  it("a cell that a spreadsheet would compute is marked as text", () => {
    for (const text of ["=1+1", "+49 30", "-5 °C", "@sum", " =1", "＝1", "'=1"])
      assert.match(csvField(text), /^"?'/, text);
    assert.deepEqual(["a=b", "'tis", "5-3", "it's"].map(csvField), ["a=b", "'tis", "5-3", "it's"]);
  });

  it("removing the mark of a CSV cell gives the text back", () => {
    for (const text of ["=1+1", "'=1", "''-1", "-5", "'tis", "a", "@x", "'"])
      assert.equal(withoutTextMark(csvField(text)), text);
  });
});
