import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { suspicionOf } from "./suspicious-value.ts";

describe("suspicious values", () => {
  const causeOf = (value: string) => suspicionOf(value)?.cause;

  it("an error computed by a spreadsheet is suspicious", () => {
    for (const value of ["#N/A", "#REF!", "#DIV/0!", "#name?"])
      assert.equal(causeOf(value), "spreadsheet_error", value);
  });

  it("a placeholder is suspicious, alone or before a note", () => {
    for (const value of ["TODO", "todo: ask Ann", "TBD.", "xxx", "N/A", "??", "Lorem ipsum dolor", "待补充"])
      assert.equal(causeOf(value), "placeholder", value);
  });

  it("a percentage stored as a fraction is suspicious", () => {
    for (const value of ["0.15", ".5", "0,25"]) assert.equal(causeOf(value), "bare_fraction", value);
  });

  it("ordinary text that mentions an error or placeholder is not suspicious", () => {
    for (const value of [
      "What does #N/A mean?",
      "Todos los días",
      "Tbilisi",
      "1.5",
      "15 %",
      "Costs 0.15 euro",
      "Nan",
    ])
      assert.equal(causeOf(value), undefined, value);
  });
});
