import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvField, withoutTextMark } from "./csv.ts";

const FORMULA_STARTS = /^[^\S\t\r\n]*[=+\-@＝＋－＠]/;

/** The cells that a spreadsheet makes of one line of ours: quotes count only where a cell begins with one. */
function cellsSeen(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length;) {
    let cell = "";
    if (line[at] === '"')
      for (at += 1; at < line.length; at += 1) {
        if (line[at] !== '"') cell += line[at];
        else if (line[at + 1] === '"') cell += line[(at += 1)];
        else break;
      }
    if (line[at] === '"') at += 1;
    for (; at < line.length && line[at] !== delimiter && !/[\r\n]/.test(line[at] ?? ""); at += 1)
      cell += line[at];
    cells.push(cell);
    at += 1;
  }
  return cells;
}

/** Every text of up to `most` of these characters. */
function* textsOf(characters: string, most: number): Generator<string> {
  if (most === 0) return yield "";
  yield "";
  for (const rest of textsOf(characters, most - 1))
    for (const character of characters) yield character + rest;
}

describe("cells of a CSV file", () => {
  it("a cell that a spreadsheet would compute is marked as text", () => {
    for (const text of ["=1+1", "+49 30", "-5 °C", "@sum", " =1", "＝1", "'=1"])
      assert.match(csvField(text), /^"?'/, text);
    assert.deepEqual(["a=b", "'tis", "5-3", "it's"].map(csvField), ["a=b", "'tis", "5-3", "it's"]);
    assert.equal(csvField("Colours:\n- red\n+ blue"), '"Colours:\n- red\n+ blue"', "a list is no formula");
  });

  it("no cell is a formula for a spreadsheet that splits at commas, semicolons or tabs", () => {
    for (const text of textsOf('=+@;\t\n" a', 4))
      for (const delimiter of [",", ";", "\t"]) {
        const cells = cellsSeen(`plain,${csvField(text)}`, delimiter);
        const isItem = (cell: string) => text.includes("\n") && /^ *\+ /.test(cell);
        const formula = cells.find((cell) => FORMULA_STARTS.test(cell) && !isItem(cell));
        assert.equal(formula, undefined, `${JSON.stringify(text)} at ${JSON.stringify(delimiter)}`);
      }
  });

  it("removing the marks of a CSV cell gives the text back", () => {
    const unquoted = (field: string) =>
      field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
    for (const text of textsOf("=-@;\t\n\r' a\"", 4))
      assert.equal(withoutTextMark(unquoted(csvField(text))), text, JSON.stringify(text));
  });
});
