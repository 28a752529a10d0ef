import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { createCsvReader, type CsvRow } from "./csv-reader.ts";

function read(
  text: string,
  {
    delimiter = ",",
    lineEnd = "\n",
    max = 100_000,
    chunk = 0,
  }: { delimiter?: string; lineEnd?: "\n" | "\r"; max?: number; chunk?: number } = {},
) {
  const reader = createCsvReader({ delimiter, lineEnd, recordCharactersMax: max });
  const rows: CsvRow[] = [];
  const size = chunk === 0 ? Math.max(text.length, 1) : chunk;
  for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)));
  rows.push(...reader.end());
  return { rows, fields: rows.map(({ fields }) => fields), fault: reader.fault };
}

describe("reading CSV", () => {
  it("CSV fields may hold quoted delimiters, doubled quotes and line ends", () => {
    assert.deepEqual(read('a,"b, ""c""\r\nd"\r\ne,f\r\n').fields, [
      ["a", 'b, "c"\r\nd'],
      ["e", "f"],
    ]);
  });

  it("a CSV row knows its line, also behind a multi-line field", () => {
    const { rows } = read('a,b\n\n"x\ny\nz",w\nq,r');
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 2, 3, 6],
    );
  });

  it("a stray quote in CSV is text, and blanks around a quoted field are dropped", () => {
    assert.deepEqual(read('12" pipe, "a, b" ,c\n').fields, [['12" pipe', "a, b", "c"]]);
  });

  it("undoubled quotes in CSV are read as their writer meant them", () => {
    assert.deepEqual(read('"say "yes" loudly",x\n"say "yes"",y\n').fields, [
      ['say "yes" loudly', "x"],
      ['say "yes"', "y"],
    ]);
  });

  it("a CSV row that swallowed another through a missing quote is marked", () => {
    const { rows } = read('a,"b\nc,"d"\ne,f\n');
    assert.deepEqual(
      rows.map(({ line, hasBrokenQuotes }) => ({ line, hasBrokenQuotes })),
      [
        { line: 1, hasBrokenQuotes: true },
        { line: 3, hasBrokenQuotes: false },
      ],
    );
  });

  it("an unclosed CSV quote is reported where it opened, and the rows before it are kept", () => {
    const { fields, fault } = read('a,b\n"c\nd","e\nf,g\n');
    assert.deepEqual(fields, [["a", "b"]]);
    assert.deepEqual(fault, { kind: "unclosed_quote", line: 3, column: 4 });
  });

  it("an unclosed CSV quote stops the reader long before the end of the file", () => {
    const reader = createCsvReader({ delimiter: ",", lineEnd: "\n", recordCharactersMax: 1_000 });
    const piece = "x".repeat(100);
    let pushed = 0;
    for (reader.push('a,b\nc,"'); reader.fault === undefined && pushed < 100; pushed += 1) reader.push(piece);
    assert.deepEqual(reader.fault, { kind: "unclosed_quote", line: 2, column: 3 });
    assert.ok(pushed <= 11);
  });

  it("a CSV row over the size limit is refused with its line", () => {
    const { fault } = read(`a,b\n${"x".repeat(500)},y\n`, { max: 100 });
    assert.deepEqual(fault, { kind: "record_too_large", line: 2 });
  });

  it("CSV lines may end in a carriage return alone", () => {
    assert.deepEqual(read('a,b\r"c\rd",e\r', { lineEnd: "\r" }).fields, [
      ["a", "b"],
      ["c\rd", "e"],
    ]);
  });
});

const field = fc.string({
  unit: fc.constantFrom("a", "é", "中", "🙂", '"', ",", ";", "\t", "\n", "\r\n", " "),
});

/** Written as RFC 4180 says; a field may be quoted without need. */
function write(rows: string[][], quoteAll: boolean, delimiter: string, lineEnd: string): string {
  const written = (value: string) =>
    quoteAll || /["\r\n]|^\s|\s$/.test(value) || value.includes(delimiter)
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  return rows.map((row) => row.map(written).join(delimiter) + lineEnd).join("");
}

describe("reading any CSV", () => {
  it("every field of a well-formed CSV file is read in any chunks, as csv-parse does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.constantFrom(",", ";", "\t", "|"),
        fc.constantFrom("\n", "\r\n"),
        fc.integer({ min: 1, max: 40 }),
        (rows, quoteAll, delimiter, lineEnd, chunk) => {
          const text = write(rows, quoteAll, delimiter, lineEnd);
          const result = read(text, { delimiter, chunk });
          assert.deepEqual(result.fields, rows);
          assert.equal(result.fault, undefined);
          assert.ok(result.rows.every(({ hasBrokenQuotes }) => !hasBrokenQuotes));
          const oracle: unknown = parse(text, {
            delimiter,
            relax_column_count: true,
            record_delimiter: lineEnd,
          });
          assert.deepEqual(result.fields, oracle);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("CSV lines are counted as an editor counts them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(field, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        (rows, chunk) => {
          const result = read(write(rows, true, ",", "\n"), { chunk });
          let line = 1;
          for (const [index, row] of rows.entries()) {
            assert.equal(result.rows[index]?.line, line);
            line += 1 + row.join("").split("\n").length - 1;
          }
        },
      ),
    );
  });

  it("any text is read as CSV the same in one chunk and in many, without a throw", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "\t"), maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        (text, chunk) => {
          assert.deepEqual(read(text, { chunk }), read(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
