import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ENCODED_FILES } from "@signalbox/tests/support/encoded-files.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";
import type { IncomingPair } from "../incoming-pair.ts";
import { INTAKE_LIMITS } from "../limits.ts";
import { readQaFile, type QaFileOptions } from "./read-qa-file.ts";

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), "qa-"))));
after(() => rm(directory, { recursive: true }));

async function read(
  content: string | Buffer,
  options: Partial<QaFileOptions> & { fileName?: string; contentType?: string } = {},
) {
  const { fileName = "pairs.csv", contentType } = options;
  const path = join(directory, crypto.randomUUID());
  await writeFile(path, content);
  const pairs: IncomingPair[] = [];
  const outcome = await readQaFile(
    { path, fileName, sizeBytes: 0, contentType },
    { headerRow: undefined, splitter: undefined, limits: INTAKE_LIMITS, ...options },
    async (batch) => void pairs.push(...batch),
  );
  return { outcome, pairs, asked: pairs.map(({ question }) => question) };
}

function causeOf({ outcome }: Awaited<ReturnType<typeof read>>) {
  return outcome.kind === "failed" ? outcome.cause : outcome.kind;
}

describe("QA files as people save them", () => {
  for (const { name, delimiter, bytes, pairs: expected } of ENCODED_FILES) {
    it(`the QA file is read: ${name}`, async () => {
      const { outcome, pairs } = await read(bytes);
      assert.equal(outcome.kind, "read", JSON.stringify(outcome));
      assert.deepEqual(
        pairs.map(({ question, answer }) => ({ question, answer })),
        expected,
      );
      assert.equal(outcome.kind === "read" && outcome.delimiter, delimiter);
    });
  }

  it("the charset of a large QA file is found by a late non-ASCII letter", async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `Question ${index}?,Answer ${index}.\n`).join(
      "",
    );
    const { pairs } = await read(
      Buffer.concat([Buffer.from(rows), Buffer.from("Caf\u00e9?,O\u00f9 \u00e7a.\n", "latin1")]),
    );
    assert.equal(pairs.length, 20_001);
    assert.deepEqual([pairs.at(-1)?.question, pairs.at(-1)?.answer], ["Café?", "Où ça."]);
  });

  it("the charset named by the server is used only when the file does not contradict it", async () => {
    const utf8 = await read("Où?,Là.\n", { contentType: "text/csv; charset=windows-1251" });
    assert.deepEqual(utf8.asked, ["Où?"]);
    const short = Buffer.from([0xeb, 0xc1, 0xcb, 0x2c, 0xf4, 0xc1, 0xcb]);
    assert.deepEqual((await read(short, { contentType: 'text/csv; charset="koi8-r"' })).asked, ["Как"]);
  });

  it("damaged UTF-8 in a QA file rejects only the damaged row", async () => {
    const good = Array.from({ length: 40 }, (_, index) =>
      `Où est ${index}?,Là-bas, à côté.\n`.replace(", à", " à"),
    ).join("");
    const { outcome, pairs } = await read(
      Buffer.concat([
        Buffer.from(good),
        Buffer.from("Broken \u00e9?,x\n", "latin1"),
        Buffer.from("Fin?,Oui.\n"),
      ]),
    );
    assert.equal(pairs.length, 41);
    assert.deepEqual(
      outcome.kind === "read" && [outcome.rejected, outcome.problems[0]?.line, outcome.problems[0]?.cause],
      [1, 41, "undecodable"],
    );
  });

  it("U+0000 in a QA file is dropped and nothing else", async () => {
    assert.deepEqual((await read(`a\u0000b?,c\n${"x,y\n".repeat(100)}`)).asked.slice(0, 1), ["ab?"]);
  });

  it("Excel's separator line is obeyed, and lines are counted as in an editor", async () => {
    const { outcome, asked } = await read(
      "sep=;\r\nquestion;answer\r\nWhen, then?;At nine, or ten\r\nWho?;\r\nWe?;us\r\n",
    );
    assert.deepEqual(asked, ["When, then?", "We?"]);
    assert.equal(outcome.kind === "read" && outcome.problems[0]?.line, 4);
  });

  it("a semicolon delimiter is found among commas of prose, also without a header", async () => {
    const { asked } = await read("Wann, bitte?;Um neun, immer.\nWo, bitte?;Hier, drinnen.\n");
    assert.deepEqual(asked, ["Wann, bitte?", "Wo, bitte?"]);
  });

  it("the delimiter may be given by character or by name", async () => {
    assert.deepEqual((await read("a,b#c,d\n", { splitter: "#" })).pairs[0]?.answer, "c,d");
    assert.deepEqual((await read("a,b\tc,d\n", { splitter: "\\t" })).pairs[0]?.answer, "c,d");
  });

  it("a header that names the question alone leaves the answer to the other column", async () => {
    const { pairs } = await read("Text,Question\nHere.,Where?\nNow.,When?\n", { headerRow: 1 });
    assert.deepEqual(
      pairs.map(({ question, answer }) => [question, answer]),
      [
        ["Where?", "Here."],
        ["When?", "Now."],
      ],
    );
  });

  it("a splitter that cannot be the delimiter of a file is ignored with a note, and the delimiter is detected", async () => {
    const commas = "question,answer\nWhere; exactly?,Here.\nWhen?,Now.\nWho?,We.\n";
    for (const splitter of ["\n", "\\n", "###", '"', ";", "|"]) {
      const { outcome, asked } = await read(commas, { splitter });
      assert.deepEqual(asked, ["Where; exactly?", "When?", "Who?"], splitter);
      assert.ok(outcome.kind === "read" && outcome.delimiter === ",", splitter);
      assert.deepEqual(
        outcome.problems.map(({ cause, line }) => [cause, line]),
        [["splitter_ignored", undefined]],
        splitter,
      );
    }
  });

  it("a splitter that is the delimiter of most rows is obeyed without a note", async () => {
    const { outcome, asked } = await read("a,b;c,d\ne,f;g,h\ni,j\n", { splitter: ";" });
    assert.deepEqual(asked, ["a,b", "e,f"]);
    assert.deepEqual(outcome.kind === "read" && outcome.problems.map(({ cause }) => cause), ["no_answer"]);
  });

  it("a header below a title is found in CSV and in a workbook", async () => {
    const rows = [
      ["Our FAQ", ""],
      ["Answer", "Question"],
      ["At nine.", "When do you open?"],
      ["At six.", "When do you close?"],
    ];
    const csv = rows.map((row) => row.join(",")).join("\n");
    const workbook = workbookOf({ FAQ: rows });
    for (const { pairs, outcome } of [
      await read(csv),
      await read(`sep=,\n${csv}`),
      await read(workbook, { fileName: "faq.xlsx" }),
    ]) {
      assert.deepEqual(
        pairs.map(({ question, answer }) => [question, answer]),
        [
          ["When do you open?", "At nine."],
          ["When do you close?", "At six."],
        ],
      );
      assert.equal(outcome.kind === "read" && outcome.headerRows, 2);
    }
  });

  it("a header below a possible pair is refused with its line, unless header_row is given", async () => {
    const rows = [
      ["Exported", "on Monday"],
      ["Answer", "Question"],
      ["At nine.", "When do you open?"],
    ];
    const csv = rows.map((row) => row.join(",")).join("\n");
    for (const { outcome } of [
      await read(csv),
      await read(workbookOf({ FAQ: rows }), { fileName: "faq.xlsx" }),
    ])
      assert.deepEqual(
        [outcome.kind === "failed" && outcome.cause, outcome.kind === "failed" && outcome.line],
        ["header_not_first", 2],
      );
    assert.deepEqual((await read(csv, { headerRow: 2 })).asked, ["When do you open?"]);
    assert.equal((await read(csv, { headerRow: 0 })).pairs.length, 3);
  });

  it("header_row keeps the order of two columns that the last header row does not name", async () => {
    const csv = "Our FAQ,\nAnswer,Question\nHere.,Where?\nNow.,When?\n";
    for (const [headerRow, asked] of [
      [undefined, ["Where?", "When?"]],
      [2, ["Where?", "When?"]],
      [3, ["Now."]],
      [1, ["Answer", "Here.", "Now."]],
    ] as const)
      assert.deepEqual((await read(csv, { headerRow })).asked, asked, `header_row ${headerRow}`);
  });

  it("an apostrophe that marks a text in a CSV file is not part of it", async () => {
    const { pairs } = await read("question,answer\n'=1+1,'-5\n'tis,''@x\n");
    assert.deepEqual(
      pairs.map(({ question, answer }) => [question, answer]),
      [
        ["=1+1", "-5"],
        ["'tis", "'@x"],
      ],
    );
  });

  it("a QA file of one row without header and line end is read", async () => {
    assert.deepEqual((await read("When?,At nine.")).asked, ["When?"]);
  });
});

describe("QA files that fail", () => {
  const cases: [string, string | Buffer, string][] = [
    ["one column", "When do you open\nWhere are you\n", "no_answer_column"],
    ["nothing", "", "empty"],
    ["blanks alone", "\n \n\n", "empty"],
    ["a header alone", "question,answer\n", "no_rows"],
    [
      "a web page in place of a file",
      "<!DOCTYPE html><html><body>Sign in, please</body></html>",
      "wrong_type",
    ],
    ["a PDF", "%PDF-1.7\n%\u00e2\u00e3\n1 0 obj", "wrong_type"],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "wrong_type"],
    ["gzip", Buffer.from("1f8b0800000000000003", "hex"), "wrong_type"],
    ["binary data", Buffer.alloc(5_000, "\u0001\u0002\u0000"), "not_text"],
    ["mostly halves", "a,b\nc,\nd,\ne,\n", "mostly_rejected"],
  ];
  for (const [what, content, cause] of cases) {
    it(`the QA file fails as ${cause}: ${what}`, async () =>
      assert.equal(causeOf(await read(content)), cause));
  }

  it("a QA file with an unclosed quote fails with the line of the quote", async () => {
    const { outcome } = await read('question,answer\nWhen?,"At nine.\nWhere?,Here.\n');
    assert.deepEqual(outcome, { ...outcome, kind: "failed", cause: "unclosed_quote", line: 2 });
  });

  it("a QA file with more pairs than a document may have fails", async () => {
    const limits = { ...INTAKE_LIMITS, pairsMax: 3 };
    assert.equal(causeOf(await read("a,b\nc,d\ne,f\ng,h\n", { limits })), "too_many_pairs");
    assert.equal(causeOf(await read("a,b\nc,d\ne,f\n", { limits })), "read");
  });
});

describe("large QA files", () => {
  const rows = 60_000;
  const content = () =>
    Array.from(
      { length: rows },
      (_, index) => `How do I reset number ${index}?,"Press ""reset"" ${"x".repeat(60)}"\n`,
    ).join("");

  it("batches of a large QA file are handed over one after another, each awaited", async () => {
    const path = join(directory, "large.csv");
    await writeFile(path, content());
    let busy = 0;
    let ahead = 0;
    let pairs = 0;
    const outcome = await readQaFile(
      { path, fileName: "large.csv", sizeBytes: 0, contentType: undefined },
      { headerRow: undefined, splitter: undefined, limits: INTAKE_LIMITS },
      async (batch) => {
        busy += 1;
        ahead = Math.max(ahead, busy);
        await sleep(1);
        pairs += batch.length;
        assert.ok(batch.length <= 1_000);
        busy -= 1;
      },
    );
    assert.deepEqual([outcome.kind, pairs, ahead], ["read", rows, 1]);
  });

  it("reading a large QA file leaves the event loop free", async () => {
    const path = join(directory, "loop.csv");
    await writeFile(path, content());
    const reading = readQaFile(
      { path, fileName: "loop.csv", sizeBytes: 0, contentType: undefined },
      { headerRow: undefined, splitter: undefined, limits: INTAKE_LIMITS },
      async () => {},
    );
    // Processor time between two turns of the loop: unlike a clock it does not count what others do to the machine.
    const slicesMs: number[] = [];
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const before = process.threadCpuUsage();
        await sleep(1);
        const { user, system } = process.threadCpuUsage(before);
        slicesMs.push((user + system) / 1000);
      }
    })();
    assert.equal((await reading).kind, "read");
    isOver = true;
    await watching;
    const p99 =
      slicesMs.toSorted((one, other) => one - other)[Math.floor(slicesMs.length * 0.99)] ?? Infinity;
    assert.ok(p99 < 50, `p99 of a turn was ${p99} ms, the longest ${Math.max(...slicesMs)} ms`);
  });

  it("reading a QA file fails with the error of its consumer", async () => {
    const path = join(directory, "refused.csv");
    await writeFile(path, content());
    const reading = readQaFile(
      { path, fileName: "refused.csv", sizeBytes: 0, contentType: undefined },
      { headerRow: undefined, splitter: undefined, limits: INTAKE_LIMITS },
      () => Promise.reject(new Error("the disk is full")),
    );
    await assert.rejects(reading, /the disk is full/);
  });
});

describe("workbooks", () => {
  it("the sheet of a workbook that names its columns is read, and skipped sheets are named", async () => {
    const { outcome, pairs } = await read(
      workbookOf({
        Notes: [["Written by", "Ada"]],
        Pairs: [
          ["Answer", "Question"],
          ["At nine & later", "When?"],
          [5, "How many?"],
          ["", "Why?"],
        ],
      }),
      { fileName: "pairs.xlsx" },
    );
    assert.deepEqual(
      pairs.map(({ question, answer }) => [question, answer]),
      [
        ["When?", "At nine & later"],
        ["How many?", "5"],
      ],
    );
    assert.ok(outcome.kind === "read");
    assert.deepEqual([outcome.rowsRead, outcome.pairs, outcome.rejected], [3, 2, 1]);
    assert.deepEqual(
      outcome.problems.map(({ cause, line }) => [cause, line]),
      [
        ["no_answer", 4],
        ["sheet_ignored", undefined],
      ],
    );
  });

  it("a workbook is detected by its bytes, not its name", async () => {
    const { asked } = await read(
      workbookOf({
        One: [
          ["q", "a"],
          ["When?", "Now."],
        ],
      }),
      { fileName: "pairs.csv" },
    );
    assert.deepEqual(asked, ["When?"]);
  });
});
