import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { EXIT_CODES } from "../exit-codes.ts";
import { runCommandLine } from "../run.ts";
import type { DryRun } from "./dry-run.ts";
import { fixFor } from "./fixes.ts";

async function run(...words: string[]) {
  let out = "";
  let error = "";
  const code = await runCommandLine(
    ["documents", ...words],
    { SIGNALBOX_URL: "http://127.0.0.1:1" },
    { out: (text) => (out += text), error: (text) => (error += text) },
  );
  return { code, out, error };
}

describe("signalbox documents import without a service", () => {
  let directory = "";
  const fileOf = async (name: string, content: string | Buffer) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  before(async () => (directory = await mkdtemp(join(tmpdir(), "signalbox-import-"))));
  after(() => rm(directory, { recursive: true }));

  it("a dry run counts each row once: as pair, refused, duplicate, with two answers or blank", async () => {
    const path = await fileOf(
      "faq.csv",
      'question,answer\nWhen?,At nine.\nWhere?,\n"Who?","We,\nall of us."\nWHEN,At nine.\nHow much?,Ten,\n\nWho?,Nobody.\n',
    );
    const { code, out } = await run("import", path, "--dry-run");
    assert.equal(code, EXIT_CODES.notWell.code);
    assert.match(
      out,
      /faq\.csv: 4 of 7 rows are valid pairs, 1 refused, 1 duplicate, 1 with two answers, 1 blank\n/,
    );
    assert.match(out, /row 9: line 4 has another answer to this question \(conflict\)\n/);
    const { rows_read, pairs, rejected, duplicates, blank } = JSON.parse(
      (await run("import", path, "--dry-run", "--json")).out,
    ) as DryRun;
    assert.equal(rows_read, pairs + rejected + duplicates + blank);
  });

  it("a dry run lists every problem of a file, not only the first few that the service stores", async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `Q${index}?,${index < 45 ? "" : "yes"}`);
    const path = await fileOf("many.csv", `question,answer\n${rows.join("\n")}\n`);
    const { out } = await run("import", path, "--dry-run", "--json");
    assert.equal((JSON.parse(out) as DryRun).problems.length, 45);
    const { out: shown } = await run("import", path, "--dry-run");
    assert.match(shown, /and 25 more. List them all with --json/);
  });

  it("a dry run judges each file by itself and says why one yields no pairs, with the fix", async () => {
    const good = await fileOf("good.csv", "问题,答案\n几点开门？,九点。\n");
    const bad = await fileOf("bad.csv", 'question,answer\nWhen?,"At nine.\n');
    const { code, out } = await run("import", bad, good, "--dry-run");
    assert.equal(code, EXIT_CODES.notWell.code);
    assert.match(
      out,
      /bad\.csv cannot be imported as it is:\n +row 2: .*never closed \(unclosed_quote\)\n +Close/,
    );
    assert.match(out, /good\.csv: 1 of 1 rows are valid pairs\n/);
    const { out: json } = await run("import", bad, good, "--dry-run", "--json");
    const { files } = JSON.parse(json) as { files: DryRun[] };
    assert.deepEqual(
      files.map(({ pairs, certain }) => [pairs, certain]),
      [
        [0, false],
        [1, true],
      ],
    );
  });

  it("a dry run reads an export as JSON", async () => {
    const pairs = [{ question: "Is <b> bold?", answer: "No.", keywords: ["b\nold"], tags: ["html"] }];
    const path = await fileOf("backup.json", JSON.stringify({ documents: [{ doc_name: "Hours", pairs }] }));
    const { code, out } = await run("import", path, "--dry-run", "--json");
    assert.equal(code, EXIT_CODES.ok.code, out);
    const { certain, reads_as, first_pairs } = JSON.parse(out) as DryRun;
    assert.deepEqual([certain, reads_as], [true, "pairs"]);
    assert.deepEqual(first_pairs, [{ question: "Is <b> bold?", answer: "No." }]);
  });

  it("a wrong command line imports and exports nothing, and a missing service or key is reported", async () => {
    const path = await fileOf("one.csv", "question,answer\nWhen?,At nine.\n");
    const key = ["--api-key", "k"];
    const wrong = [
      ["bring", path],
      ["import"],
      ["import", join(directory, "nowhere.csv")],
      ["import", directory],
      ["import", path, path, ...key],
      ["import", path, join(directory, "good.csv"), "--name", "Both", ...key],
      ["import", path, join(directory, "good.csv"), "--replace", "id", ...key],
      ["import", path, "--header-rows", "six", ...key],
      ["preview", path, join(directory, "good.csv")],
      ["export", "id", "--base", "id", ...key],
      ["export", "--agent", "id", ...key],
    ];
    for (const words of wrong)
      assert.equal((await run(...words)).code, EXIT_CODES.usage.code, words.join(" "));
    assert.equal((await run("import", path, ...key)).code, EXIT_CODES.noAnswer.code);
    assert.equal((await run("export", ...key)).code, EXIT_CODES.noAnswer.code);
    const keyless = await run("import", path);
    assert.equal(keyless.code, EXIT_CODES.notAllowed.code);
    assert.match(keyless.error, /API key/);
  });

  it("there is a fix for every problem that the service's reader of files knows", async () => {
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
});
