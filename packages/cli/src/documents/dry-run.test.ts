import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { EXIT_CODES } from "../exit-codes.ts";
import { runCommandLine } from "../run.ts";
import type { DryRun } from "./dry-run.ts";

async function run(...words: string[]) {
  let out = "";
  let error = "";
  const code = await runCommandLine(
    ["documents", "import", ...words],
    { SIGNALBOX_URL: "http://127.0.0.1:1" },
    { out: (text) => (out += text), error: (text) => (error += text) },
  );
  return { code, out, error };
}

const EXPORT =
  "Article ID,Locale,Title,Body\n1000,en-us,Getting a refund,Write to us.\n1001,en-us,Opening hours,At nine.\n1002,en-us,Parking,Behind the house.\n1003,en-us,Lift,There is one.\n";
const UNCLEAR =
  "a,b,c\nfoo bar,red house here now,some words here\nfoo baz,blue house here now,other words here\n";

describe("signalbox documents import --dry-run", () => {
  let directory = "";
  const fileOf = async (name: string, content: string | Buffer) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  before(async () => (directory = await mkdtemp(join(tmpdir(), "signalbox-dry-run-"))));
  after(() => rm(directory, { recursive: true }));

  it("a dry run needs no service and prints one JSON object with columns, header rows and the first three pairs", async () => {
    const path = await fileOf("articles.csv", EXPORT);
    const { code, out, error } = await run(path, "--dry-run", "--json");
    assert.deepEqual([code, error], [EXIT_CODES.ok.code, ""]);
    const { columns, certain, header_rows, first_pairs } = JSON.parse(out) as DryRun;
    assert.deepEqual([columns.question, columns.answer, certain, header_rows], [3, 4, true, 1]);
    assert.deepEqual(first_pairs, [
      { question: "Getting a refund", answer: "Write to us." },
      { question: "Opening hours", answer: "At nine." },
      { question: "Parking", answer: "Behind the house." },
    ]);
  });

  it("a dry run of a table without certain columns gives null, and the terminal names the parameters", async () => {
    const path = await fileOf("unclear.csv", UNCLEAR);
    const { code, out } = await run(path, "--dry-run", "--json");
    assert.equal(code, EXIT_CODES.notWell.code);
    const { columns, certain, first_pairs, failure } = JSON.parse(out) as DryRun;
    assert.deepEqual([columns.question, columns.answer, certain, first_pairs], [null, null, false, []]);
    assert.equal(failure?.cause, "columns_unclear");
    const { out: shown } = await run(path, "--dry-run");
    assert.match(shown, /^2 +b +red house here now$/m);
    assert.match(shown, /--question-column N and --answer-column N/);
    const chosen = await run(path, "--dry-run", "--json", "--question-column", "2", "--answer-column", "3");
    assert.equal(chosen.code, EXIT_CODES.ok.code);
    assert.deepEqual((JSON.parse(chosen.out) as DryRun).first_pairs[0]?.question, "red house here now");
  });

  it("a dry run shows columns with samples, pairs, and each refused row with its fix", async () => {
    const path = await fileOf("faq.csv", "Question,Answer\nWhen?,At nine.\nWhere?,\nWho?,We.\n");
    const { code, out } = await run(path, "--dry-run");
    assert.equal(code, EXIT_CODES.notWell.code);
    assert.match(out, /2 of 3 rows are valid pairs, 1 refused/);
    assert.match(out, /^1 +Question +question +When\?$/m);
    assert.match(out, /First pairs, as users would read them:\n {2}When\?\n {6}At nine\.\n/);
    assert.match(out, /row 3, column 2: the answer is missing \(no_answer\)\n +Fill in the answer/);
  });

  it("a dry run shows HTML as users would read it, and what could not be converted", async () => {
    const body =
      '"<p>For <strong>refunds</strong>, <a href=""https://e.org"">write</a>.</p><iframe src=""x""></iframe>"';
    const path = await fileOf("html.csv", `Question,Answer\nRefund &amp; return?,${body}\n`);
    const { code, out } = await run(path, "--dry-run", "--json");
    assert.equal(code, EXIT_CODES.ok.code);
    const { first_pairs, problems } = JSON.parse(out) as DryRun;
    assert.deepEqual(first_pairs, [
      { question: "Refund & return?", answer: "For **refunds**, [write](https://e.org)." },
    ]);
    assert.deepEqual(
      problems.map(({ line, column, cause, detail }) => [line, column, cause, detail]),
      [[2, 2, "html_left_out", "not converted from HTML: 1 embedded page"]],
    );
  });

  it("a dry run reads documents, and says why a file cannot be read", async () => {
    const page = await fileOf("page.md", "# When do you open?\n\nAt nine.\n");
    const { out } = await run(page, "--dry-run", "--json");
    const { certain, reads_as, columns, first_pairs } = JSON.parse(out) as DryRun;
    assert.deepEqual([certain, reads_as], [false, "document"]);
    assert.deepEqual(columns, { question: null, answer: null });
    assert.deepEqual(first_pairs, [{ question: "When do you open?", answer: "At nine." }]);
    const picture = await fileOf(
      "picture.csv",
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    );
    const read = await run(picture, "--dry-run", "--json");
    assert.equal((JSON.parse(read.out) as DryRun).failure?.cause, "unknown_encoding");
  });

  it("columns of other wordings and of tags are named beside those of questions and answers", async () => {
    const path = await fileOf("named.csv", "A,B,C,D,E\nWhen?,At nine.,Hours?,Opening?,shop\n");
    const columns = ["--question-column", "1", "--answer-column", "2", "--header-rows", "1"];
    const others = ["--alternates-column", "3", "--alternates-column", "4", "--tags-column", "5"];
    const { code, out } = await run(path, "--dry-run", "--json", ...columns, ...others);
    assert.equal(code, EXIT_CODES.ok.code);
    const { columns: read } = JSON.parse(out) as DryRun;
    assert.deepEqual(read, { question: 1, answer: 2, alternates: [3, 4], tags: 5 });
    const alone = await run(path, "--dry-run", "--tags-column", "5");
    assert.equal(alone.code, EXIT_CODES.usage.code);
  });

  it("a question column without an answer column is refused instead of guessed", async () => {
    const path = await fileOf("half.csv", EXPORT);
    const { code, error } = await run(path, "--dry-run", "--question-column", "3");
    assert.equal(code, EXIT_CODES.usage.code);
    assert.match(error, /go together/);
  });
});
