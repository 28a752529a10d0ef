import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { INTAKE_LIMITS } from "../limits.ts";
import { findHeader } from "./find-header.ts";
import { createRowJudge, type RowRules } from "./row-judge.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

function judgeAll(rows: string[][], rules: Partial<RowRules> = {}) {
  const lines = rows.map((fields, index) => ({ fields, line: index + 1 }));
  const found = rules.headerRow === undefined ? findHeader(lines) : undefined;
  assert.ok(typeof found !== "object", "the header is ambiguous");
  const judge = createRowJudge({
    headerRow: undefined,
    headerLine: found,
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

  it("takes a first row that names both columns for a header, in any of the languages", () => {
    for (const names of [
      ["Question", "ANSWER"],
      ["问题", "答案"],
      ["質問", "回答"],
      ["вопрос", "ответ"],
      ["Ｑ", "ａ"],
    ])
      assert.equal(judgeAll([names, ...data]).counts.pairs, 2, names.join());
  });

  it("takes rows of one cell above a row that names both columns for titles", () => {
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

  it("refuses to guess where a row above the names could be a pair, and tells the line", () => {
    const rows = [...data, ["Answer", "Question"], ["At nine.", "When?"]];
    const found = findHeader(rows.map((fields, index) => ({ fields, line: index + 1 })));
    assert.deepEqual(found, { ...(found as object), kind: "failed", cause: "header_not_first", line: 3 });
    assert.equal(judgeAll(rows, { headerRow: 0 }).pairs.length, 4);
  });

  it("looks for no names below the fifth row", () => {
    const rows = [...data, ...data, ...data, ["Answer", "Question"]].map((row, at) => [
      `${at} ${row[0]}`,
      row[1]!,
    ]);
    assert.equal(findHeader(rows.map((fields, index) => ({ fields, line: index + 1 }))), undefined);
  });

  it("keeps a first row as data when it does not name both", () => {
    const { counts, pairs } = judgeAll([["Question", "Something"], ...data]);
    assert.deepEqual([counts.headerRows, pairs.length], [0, 3]);
  });

  it("maps columns by name, whatever their order", () => {
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

  it("skips exactly as many rows as header_row says, and the last of them names the columns", () => {
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
  it("rejects a row with one half missing, with its line and cause", () => {
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

  it("rejects what is too long and never cuts it, counting characters as people do", () => {
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

  it("rejects a row whose answer was cut by a delimiter without quotes", () => {
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

  it("keeps formulas as they were written", () => {
    assert.equal(judgeAll([["=1+1?", '=HYPERLINK("x")']]).pairs[0]?.answer, '=HYPERLINK("x")');
  });

  it("rejects a row that lost bytes in decoding, and only where bytes can be lost", () => {
    const rows = [
      ["When\ufffd", "x"],
      ["Where", "y"],
    ];
    assert.equal(judgeAll(rows, { mayLoseBytes: true }).problems[0]?.cause, "undecodable");
    assert.equal(judgeAll(rows, { mayLoseBytes: false }).pairs.length, 2);
  });

  it("names a column it does not take", () => {
    const { counts, problems } = judgeAll([
      ["question", "answer", "author"],
      ["When?", "At nine.", "Ada"],
    ]);
    assert.equal(counts.ignoredColumns, 1);
    assert.deepEqual(problems[0], { ...problems[0], line: 2, column: 3, cause: "ignored_column" });
  });
});

describe("repeated questions", () => {
  it("keeps the first of equal pairs and counts the rest", () => {
    const { counts } = judgeAll([
      ["When?", "At nine."],
      ["  when ", "At nine."],
      ["WHEN", "At nine."],
    ]);
    assert.deepEqual([counts.pairs, counts.duplicates, counts.conflicts], [1, 2, 0]);
  });

  it("keeps both answers to one question and flags the conflict with both lines", () => {
    const { counts, problems } = judgeAll([
      ["When?", "At nine."],
      ["When?", "At ten."],
    ]);
    assert.deepEqual([counts.pairs, counts.conflicts], [2, 1]);
    assert.deepEqual([problems[0]?.cause, problems[0]?.line], ["conflict", 2]);
    assert.match(problems[0]?.detail ?? "", /line 1/);
  });

  it("does not take C++, C# and C for one, nor 1.5 and 15, nor words that differ in marks alone", () => {
    const rows = ["What is C++?", "What is C#?", "What is C?", "Version 1.5?", "Version 15?", "कि", "की"];
    assert.equal(judgeAll(rows.map((question) => [question, "See the notes."])).counts.pairs, rows.length);
  });

  it("keeps a repeated pair that brings new alternates", () => {
    const header = ["question", "answer", "similar"];
    const { counts } = judgeAll([
      header,
      ["When?", "Nine.", "Hours?"],
      ["When?", "Nine.", "Opening?"],
      ["When?", "Nine.", ""],
    ]);
    assert.deepEqual([counts.pairs, counts.duplicates, counts.conflicts], [2, 1, 0]);
  });

  it("stays quick when one question has very many answers", () => {
    const startedAt = performance.now();
    const rows = Array.from({ length: 50_000 }, (_, index) => ["When?", `At ${index}.`]);
    assert.equal(judgeAll(rows).counts.conflicts, 49_999);
    atMost(performance.now() - startedAt, 5_000, "50,000 rows are judged");
  });
});

describe("the file as a whole", () => {
  it("fails when most rows are rejected, showing the first of them", () => {
    const { verdict } = judgeAll([
      ["a", "b"],
      ["c", ""],
      ["d", ""],
    ]);
    assert.deepEqual([verdict?.cause, verdict?.problems?.length, verdict?.line], ["mostly_rejected", 2, 2]);
  });

  it("fails when it holds a header alone, or no pair at all", () => {
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
function countNaively(rows: string[][]) {
  const fold = (text: string) => text.trim().toLowerCase();
  const isBlank = (row: string[]) => row.every((cell) => cell.trim() === "");
  const first = rows.filter((row) => !isBlank(row)).slice(0, 5);
  const header = first.find((row) => row.map(fold).includes("q") && row.map(fold).includes("a"));
  const names = (header ?? []).map(fold);
  const titles = header === undefined ? [] : first.slice(0, first.indexOf(header));
  const [questionAt, answerAt] = header === undefined ? [0, 1] : [names.indexOf("q"), names.indexOf("a")];
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

  it("agrees row for row with the obvious way of counting, and nothing is missing from the sum", () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 30 }), (rows) => {
        fc.pre(typeof findHeader(rows.map((fields, index) => ({ fields, line: index + 1 }))) !== "object");
        const { counts, pairs } = judgeAll(rows, { width: 2 });
        const { headerRows, ignoredColumns: _, ...counted } = counts;
        assert.deepEqual(counted, countNaively(rows));
        assert.equal(counted.rowsRead, counted.pairs + counted.rejected + counted.duplicates + counted.blank);
        assert.equal(headerRows + counted.rowsRead, rows.length);
        assert.equal(pairs.length, counted.pairs);
      }),
      { numRuns: 2_000 },
    );
  });
});
