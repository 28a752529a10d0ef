import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { columnName, refusedCsv } from "./refused-csv.ts";

describe("refused rows as CSV", () => {
  it("the CSV of refused rows has place, cause and every cell, with quotes and line breaks", () => {
    const list = [
      {
        line: 7,
        column: 2,
        cause: "no_answer",
        detail: "the answer is missing",
        cells: ['Say "hi"?', "", "a\nb"],
      },
    ];
    assert.equal(
      refusedCsv({ list, total: 1 }, ["Row", "Column", "Problem"]),
      '\ufeffRow,Column,Problem\r\n7,B,the answer is missing,"Say ""hi""?",,"a\nb"\r\n',
    );
  });

  it("a cell of the CSV is never a formula in a spreadsheet", () => {
    const list = [{ cause: "no_answer", detail: "d", cells: ["=1+1", "@sum", "-2"] }];
    assert.match(refusedCsv({ list, total: 1 }, ["a", "b", "c"]), /,,d,'=1\+1,'@sum,'-2/);
  });

  it("columns are named as in a spreadsheet", () => {
    assert.deepEqual([1, 26, 27, 52, 703].map(columnName), ["A", "Z", "AA", "AZ", "AAA"]);
  });
});
