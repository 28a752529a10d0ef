import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { INTAKE_LIMITS } from "../limits.ts";
import { findHeader } from "./find-columns.ts";
import { findTable, type Columns } from "./find-table.ts";
import { createRowJudge, type RowRules } from "./row-judge.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

function judgeAll(rows: string[][], rules: Partial<RowRules> = {}) {
  const lines = rows.map((fields, index) => ({ fields, line: index + 1 }));
  const table = findTable(lines, { headerRow: undefined, width: 9, ...rules });
  assert.ok(table.kind === "table", JSON.stringify(table));
  const judge = createRowJudge({
    headerRow: undefined,
    ...table,
    width: 9,
    mayLoseBytes: false,
    limits: INTAKE_LIMITS,
    ...rules,
  });
  const pairs = lines.flatMap((row) => judge.take(row) ?? []);
  return { pairs, counts: judge.counts(), problems: judge.problems(), verdict: judge.verdict() };
}

describe("header rows", () => {
  const data = [
    ["When do you open?", "At nine."],
    ["Where are you?", "Here."],
  ];

  it("a first row that names both columns is a header, in any supported language", () => {
    for (const names of [
      ["Question", "ANSWER"],
      ["问题", "答案"],
      ["質問", "回答"],
      ["вопрос", "ответ"],
      ["Ｑ", "ａ"],
    ])
      assert.equal(judgeAll([names, ...data]).counts.pairs, 2, names.join());
  });

  it("single-cell rows above a header are titles", () => {
    const { pairs, counts } = judgeAll([
      ["Our FAQ", ""],
      ["", ""],
      ["2026"],
      ["Answer", "Question"],
      ["At nine.", "When?"],
    ]);
    assert.deepEqual(
      pairs.map(({ question, answer }) => [question, answer]),
      [["When?", "At nine."]],
    );
    assert.deepEqual([counts.headerRows, counts.blank, counts.rowsRead], [3, 1, 2]);
  });

  it("a header below a possible pair fails with its line", () => {
    const rows = [...data, ["Answer", "Question"], ["At nine.", "When?"]];
    const found = findHeader(rows.map((fields, index) => ({ fields, line: index + 1 })));
    assert.deepEqual(found, { ...(found as object), kind: "failed", cause: "header_not_first", line: 3 });
    assert.equal(judgeAll(rows, { headerRow: 0 }).pairs.length, 4);
  });

  it("no header is looked for below the fifth row", () => {
    const rows = [...data, ...data, ...data, ["Answer", "Question"]].map((row, at) => [
      `${at} ${row[0]}`,
      row[1]!,
    ]);
    assert.equal(findHeader(rows.map((fields, index) => ({ fields, line: index + 1 }))), undefined);
  });

  it("a first row that names one of two columns is a header", () => {
    const { counts, pairs } = judgeAll([["Something", "Question"], ...data.map((row) => row.toReversed())]);
    assert.deepEqual(
      [counts.headerRows, pairs.map(({ question }) => question)],
      [1, data.map(([asked]) => asked)],
    );
  });

  it("a first row that names no column is data", () => {
    const { counts, pairs } = judgeAll([["Parking", "Behind the house."], ...data]);
    assert.deepEqual([counts.headerRows, pairs.length], [0, 3]);
  });

  it("columns are mapped by name in any order", () => {
    const { pairs } = judgeAll([
      ["answer", "similar", "notes", "question"],
      ["At nine.", "Opening?\nHours?", "x", "When?"],
    ]);
    assert.deepEqual(pairs[0], {
      question: "When?",
      answer: "At nine.",
      alternates: ["Opening?", "Hours?"],
      origin: "row",
      source: { line: 2 },
    });
  });

  it("header_row skips exactly that many rows, and the last of them names the columns", () => {
    const rows = [
      ["Our list", ""],
      ["answer", "question"],
      ["At nine.", "When?"],
    ];
    assert.equal(judgeAll(rows, { headerRow: 2 }).pairs[0]?.question, "When?");
    assert.equal(judgeAll([["question", "answer"], ...data], { headerRow: 0 }).pairs.length, 3);
    assert.equal(judgeAll(data, { headerRow: 1 }).pairs.length, 1);
  });
});

describe("rows", () => {
  it("a row without a question or an answer is rejected with its line and cause", () => {
    const { counts, problems } = judgeAll([
      ["q", "a"],
      ["When?", ""],
      ["", "At nine."],
      ["Where?", "Here."],
      ["Who?", "We."],
    ]);
    assert.deepEqual([counts.rejected, counts.pairs], [2, 2]);
    assert.deepEqual(
      problems.map(({ line, cause }) => [line, cause]),
      [
        [2, "no_answer"],
        [3, "no_question"],
      ],
    );
  });

  it("a text that is too long is rejected, never truncated, counting Unicode characters", () => {
    const limits = { ...INTAKE_LIMITS, questionCharactersMax: 5, answerCharactersMax: 6 };
    const { pairs, problems } = judgeAll(
      [
        ["🙂🙂🙂🙂🙂", "123456"],
        ["123456", "x"],
        ["x", "1234567"],
      ],
      { limits },
    );
    assert.deepEqual(
      pairs.map(({ question }) => question),
      ["🙂🙂🙂🙂🙂"],
    );
    assert.deepEqual(
      problems.map(({ cause }) => cause),
      ["question_too_long", "answer_too_long"],
    );
  });

  it("a row whose answer was split by an unquoted delimiter is rejected", () => {
    const { pairs, problems } = judgeAll([
      ["question", "answer"],
      ["When?", "At nine", " every day"],
      ["Where?", "Here.", ""],
    ]);
    assert.deepEqual(
      pairs.map(({ question }) => question),
      ["Where?"],
    );
    assert.deepEqual(problems[0], { ...problems[0], line: 2, column: 3, cause: "too_many_fields" });
  });

  it("formulas are kept as written", () => {
    assert.equal(judgeAll([["=1+1?", '=HYPERLINK("x")']]).pairs[0]?.answer, '=HYPERLINK("x")');
  });

  it("a row that lost bytes in decoding is rejected, only where bytes can be lost", () => {
    const rows = [
      ["When\ufffd", "x"],
      ["Where", "y"],
    ];
    assert.equal(judgeAll(rows, { mayLoseBytes: true }).problems[0]?.cause, "undecodable");
    assert.equal(judgeAll(rows, { mayLoseBytes: false }).pairs.length, 2);
  });

  it("an ignored column is named", () => {
    const { counts, problems } = judgeAll([
      ["question", "answer", "author"],
      ["When?", "At nine.", "Ada"],
    ]);
    assert.equal(counts.ignoredColumns, 1);
    assert.deepEqual(problems[0], { ...problems[0], line: 2, column: 3, cause: "ignored_column" });
  });
});

describe("repeated questions", () => {
  it("of identical pairs the first is kept and the rest are counted", () => {
    const { counts } = judgeAll([
      ["When?", "At nine."],
      ["  when ", "At nine."],
      ["WHEN", "At nine."],
    ]);
    assert.deepEqual([counts.pairs, counts.duplicates, counts.conflicts], [1, 2, 0]);
  });

  it("two answers to one question are both kept and reported as a conflict with both lines", () => {
    const { counts, problems } = judgeAll([
      ["When?", "At nine."],
      ["When?", "At ten."],
    ]);
    assert.deepEqual([counts.pairs, counts.conflicts], [2, 1]);
    assert.deepEqual([problems[0]?.cause, problems[0]?.line], ["conflict", 2]);
    assert.match(problems[0]?.detail ?? "", /line 1/);
  });

  it("C++, C# and C, 1.5 and 15, and words that differ in marks are different questions", () => {
    const rows = ["What is C++?", "What is C#?", "What is C?", "Version 1.5?", "Version 15?", "कि", "की"];
    assert.equal(judgeAll(rows.map((question) => [question, "See the notes."])).counts.pairs, rows.length);
  });

  it("a repeated pair with new alternates is kept", () => {
    const header = ["question", "answer", "similar"];
    const { counts } = judgeAll([
      header,
      ["When?", "Nine.", "Hours?"],
      ["When?", "Nine.", "Opening?"],
      ["When?", "Nine.", ""],
    ]);
    assert.deepEqual([counts.pairs, counts.duplicates, counts.conflicts], [2, 1, 0]);
  });

  it("one question with 50,000 answers is judged in bounded time", () => {
    const startedAt = performance.now();
    const rows = Array.from({ length: 50_000 }, (_, index) => ["When?", `At ${index}.`]);
    assert.equal(judgeAll(rows).counts.conflicts, 49_999);
    atMost(performance.now() - startedAt, 5_000, "50,000 rows are judged");
  });
});

describe("file verdict", () => {
  it("a file fails when most rows are rejected, with the first of them", () => {
    const { verdict } = judgeAll([
      ["a", "b"],
      ["c", ""],
      ["d", ""],
    ]);
    assert.deepEqual([verdict?.cause, verdict?.problems?.length, verdict?.line], ["mostly_rejected", 2, 2]);
  });

  it("a file fails when it has only a header or no pair", () => {
    assert.equal(
      judgeAll([
        ["question", "answer"],
        ["", ""],
      ]).verdict?.cause,
      "no_rows",
    );
    assert.equal(
      judgeAll([
        ["question", "answer"],
        ["x", ""],
      ]).verdict?.cause,
      "no_pairs",
    );
  });
});

/** Counts rows the slow and obvious way. */
function countNaively(rows: string[][], { question: questionAt, answer: answerAt }: Columns) {
  const fold = (text: string) => text.trim().toLowerCase();
  const isBlank = (row: string[]) => row.every((cell) => cell.trim() === "");
  const first = rows.filter((row) => !isBlank(row)).slice(0, 5);
  const header = first.find((row) => row.map(fold).includes("q") && row.map(fold).includes("a"));
  const titles = header === undefined ? [] : first.slice(0, first.indexOf(header));
  const width = header === undefined ? 2 : header.length;
  const kept: [string, string][] = [];
  const counts = { rowsRead: 0, pairs: 0, rejected: 0, duplicates: 0, conflicts: 0, blank: 0 };
  for (const row of rows) {
    if (row === header || titles.includes(row)) continue;
    counts.rowsRead += 1;
    const cells = row.map((cell) => cell.trim());
    const question = cells[questionAt] ?? "";
    const answer = cells[answerAt] ?? "";
    if (cells.join("") === "") counts.blank += 1;
    else if (question === "" || answer === "" || cells.slice(width).join("") !== "") counts.rejected += 1;
    else if (kept.some(([one, other]) => fold(one) === fold(question) && other === answer))
      counts.duplicates += 1;
    else {
      if (kept.some(([one]) => fold(one) === fold(question))) counts.conflicts += 1;
      kept.push([question, answer]);
      counts.pairs += 1;
    }
  }
  return counts;
}

describe("accounting", () => {
  const cell = fc.constantFrom("", " ", "q", "a", "Q", "when", "When", "where", "nine", "ten", " nine ");

  it("the row counts agree with a naive count and add up", () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 30 }), (rows) => {
        const lines = rows.map((fields, index) => ({ fields, line: index + 1 }));
        const table = findTable(lines, { headerRow: undefined, width: 2 });
        fc.pre(table.kind === "table");
        const { counts, pairs } = judgeAll(rows, { width: 2 });
        const { headerRows, ignoredColumns: _, ...counted } = counts;
        assert.deepEqual(counted, countNaively(rows, table.columns));
        assert.equal(counted.rowsRead, counted.pairs + counted.rejected + counted.duplicates + counted.blank);
        assert.equal(headerRows + counted.rowsRead, rows.length);
        assert.equal(pairs.length, counted.pairs);
      }),
      { numRuns: 2_000 },
    );
  });
});
