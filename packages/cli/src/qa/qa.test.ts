import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { EXIT_CODES } from "../exit-codes.ts";
import { createOutput } from "../output.ts";
import { runCommandLine } from "../run.ts";
import { csvRow } from "./export.ts";
import { fixFor } from "./fixes.ts";
import type { ImportedFile } from "./tell-file.ts";
import { readPairs } from "./read-file.ts";

async function run(...words: string[]) {
  let out = "";
  let error = "";
  const code = await runCommandLine(
    ["qa", ...words],
    { SIGNALBOX_URL: "http://127.0.0.1:1" },
    { out: (text) => (out += text), error: (text) => (error += text) },
  );
  return { code, out, error };
}

describe("signalbox qa without a service", () => {
  let directory = "";
  const fileOf = async (name: string, content: string | Buffer) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  before(async () => (directory = await mkdtemp(join(tmpdir(), "signalbox-qa-"))));
  after(() => rm(directory, { recursive: true }));

  it("qa import --dry-run counts valid pairs and gives line, cause and remedy of each rejected row", async () => {
    const path = await fileOf(
      "faq.csv",
      'question,answer\nWhen?,At nine.\nWhere?,\n"Who?","We,\nall of us."\nWHEN,At nine.\nHow much?,Ten,\n\nWho?,Nobody.\n',
    );
    const { code, out } = await run("import", path, "--dry-run");
    assert.equal(code, EXIT_CODES.notWell.code);
    assert.match(
      out,
      /✖ .*faq\.csv: 4 of 7 rows are valid pairs, 1 rejected, 1 duplicate, 1 with two answers, 1 blank\n/,
    );
    assert.match(
      out,
      /line 3, column 2: the answer is missing \(no_answer\)\n +Fill in the answer, or delete the row\.\n/,
    );
    assert.match(out, /line 9: line 4 has another answer to this question \(conflict\)\n/);
    const { out: json } = await run("import", path, "--dry-run", "--json");
    const { dry_run, files } = JSON.parse(json) as { dry_run: boolean; files: ImportedFile[] };
    const [file] = files;
    assert.ok(file !== undefined && dry_run);
    assert.equal(file.rows_read, file.pairs + file.rejected + file.duplicates + file.blank);
    assert.deepEqual(
      file.problems.map(({ line, cause, fix }) => [line, cause, fix !== undefined]),
      [
        [3, "no_answer", true],
        [9, "conflict", true],
      ],
    );
    assert.deepEqual(file.documents, [{ name: "faq.csv", pairs: 4, doc_id: null, stored: 0 }]);
  });

  it("qa import --dry-run lists every problem of a file, not only the first few that the service stores", async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `Q${index}?,${index < 45 ? "" : "yes"}`);
    const path = await fileOf("many.csv", `question,answer\n${rows.join("\n")}\n`);
    const { out } = await run("import", path, "--dry-run", "--json");
    assert.equal((JSON.parse(out) as { files: ImportedFile[] }).files[0]?.problems.length, 45);
    const { out: shown } = await run("import", path, "--dry-run");
    assert.match(shown, /and 25 more. List them all with --json/);
  });

  it("qa import judges each file by itself and says why a file yields no pairs", async () => {
    const good = await fileOf("good.csv", "问题,答案\n几点开门？,九点。\n");
    const bad = await fileOf("bad.csv", 'question,answer\nWhen?,"At nine.\n');
    const picture = await fileOf(
      "picture.csv",
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    );
    const { code, out } = await run("import", bad, good, picture, "--dry-run");
    assert.equal(code, EXIT_CODES.notWell.code);
    assert.match(
      out,
      /✖ .*bad\.csv: nothing in it can be imported\n +line 2: .*never closed \(unclosed_quote\)/,
    );
    assert.match(out, /✔ .*good\.csv: 1 of 1 rows are valid pairs\n/);
    assert.match(out, /✖ .*picture\.csv/);
    assert.equal((await run("import", good, "--dry-run")).code, EXIT_CODES.ok.code);
  });

  it("a wrong qa command line does nothing, and a missing service or key is reported", async () => {
    const path = await fileOf("one.csv", "question,answer\nWhen?,At nine.\n");
    const wrong = [
      [],
      ["bring", path],
      ["import"],
      ["import", join(directory, "nowhere.csv")],
      ["import", directory],
      ["import", path, path],
      ["import", path, join(directory, "good.csv"), "--name", "Both"],
      ["import", path, "--header-rows", "6"],
      ["export", "id", "--base", "id", "--api-key", "k"],
    ];
    for (const words of wrong)
      assert.equal((await run(...words)).code, EXIT_CODES.usage.code, words.join(" "));
    const away = await run("import", path, "--api-key", "k", "--json");
    assert.equal(away.code, EXIT_CODES.noAnswer.code);
    const { files } = JSON.parse(away.out) as { files: ImportedFile[] };
    assert.equal(files[0]?.failure?.cause, "unanswered");
    const keyless = await run("import", path, join(directory, "good.csv"));
    assert.equal(keyless.code, EXIT_CODES.notAllowed.code);
    assert.match(keyless.out, /SIGNALBOX_API_KEY/);
    assert.match(keyless.error, /Not started: .*good\.csv/);
  });

  it("qa import has a remedy for every cause that the file reader knows", async () => {
    const intake = join(import.meta.dirname, "../../../server/src/knowledge/intake");
    const rooms = await Promise.all(
      ["qa", "text"].map(async (room) => [room, await readdir(join(intake, room))] as const),
    );
    const paths = rooms.flatMap(([room, names]) =>
      names.filter((name) => !name.endsWith(".test.ts")).map((name) => join(intake, room, name)),
    );
    for (const name of ["file-kind", "incoming-pair", "unpack-zip", "run-worker"])
      paths.push(join(intake, `${name}.ts`));
    const sources = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    const causes = sources.flatMap((source) =>
      [...source.matchAll(/(?:failed\(\s*|cause: |tooLong\()"([a-z_]+)"/g)].map(([, cause]) => cause ?? ""),
    );
    assert.ok(causes.length > 25);
    assert.deepEqual(
      causes.filter((cause) => fixFor(cause) === undefined),
      [],
    );
  });

  it("CSV written by qa export is read back as the same pairs", async () => {
    const texts = [
      "a",
      'say "yes"',
      '"',
      '""',
      "a,b;c\td|e",
      "one\ntwo",
      "one\r\ntwo",
      "问题，答案",
      "=1+1",
      "'",
      "🚂",
      "sep=;",
      "question",
    ];
    const pairs = texts.flatMap((text, index) => [
      { question: `First ${index} ${text}`, answer: text, keywords: [], tags: [] },
      {
        question: `${text} second ${index}?`,
        answer: `${text}${text}`,
        keywords: ["别的说法", `"${index}", or`],
        tags: ["opening hours", "退货"],
      },
    ]);
    const path = await fileOf(
      "written.csv",
      `\uFEFFquestion,answer,similar questions,tags\n${pairs.map((pair) => `${csvRow(pair)}\n`).join("")}`,
    );
    const read = await readPairs(path, { headerRow: undefined, splitter: undefined, onPairs: () => {} });
    assert.deepEqual([read.problems, read.failure], [[], undefined]);
    assert.deepEqual(read.documents[0]?.pairs, pairs);
  });

  it("JSON written by qa export is read back word for word, and other JSON is refused", async () => {
    const pairs = [{ question: " a ", answer: "b\n", keywords: ["c\nd"] }];
    const document = { doc_id: "x", doc_name: "Hours", knowledge_base_id: "y", pairs };
    const read = (content: unknown) =>
      fileOf("export.json", JSON.stringify(content)).then((path) =>
        readPairs(path, { headerRow: undefined, splitter: undefined, onPairs: () => {} }),
      );
    assert.deepEqual((await read({ documents: [document] })).documents, [{ name: "Hours", pairs }]);
    const mixed = await read({
      documents: [{ doc_name: "Hours", pairs: [...pairs, { question: "q", answer: "" }] }],
    });
    assert.deepEqual([mixed.counts.pairs, mixed.counts.rejected], [1, 1]);
    assert.match(mixed.problems[0]?.detail ?? "", /pair 2 of "Hours": answer must not be empty/);
    for (const other of [null, [], {}, { documents: [1] }, { documents: [{ doc_name: "x" }] }])
      assert.equal((await read(other)).failure?.cause, "not_an_export");
  });
});

describe("progress bar", () => {
  const shown = (isWatched: boolean, asJson: boolean) => {
    let error = "";
    const bar = createOutput(
      { out: () => assert.fail("a bar is no result"), error: (text) => (error += text), isWatched },
      asJson,
    ).bar("faq.csv");
    bar.show(1_500, 3_000);
    bar.end();
    return error;
  };

  it("a progress bar is drawn on a terminal and erased at the end", () => {
    const written = shown(true, false);
    assert.match(written, /faq\.csv {2}█{15}░{15} {2}1,500 of 3,000/);
    assert.ok(written.endsWith("\r\u001B[K"));
  });

  it("a progress bar is not drawn without a terminal or with --json", () => {
    assert.deepEqual([shown(false, false), shown(true, true)], ["", ""]);
  });
});
