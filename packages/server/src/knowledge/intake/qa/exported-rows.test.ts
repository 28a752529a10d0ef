import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { IncomingPair } from "../incoming-pair.ts";
import { INTAKE_LIMITS } from "../limits.ts";
import { readQaFile } from "./read-qa-file.ts";

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), "export-"))));
after(() => rm(directory, { recursive: true }));

async function read(content: string, fileName: string) {
  const path = join(directory, crypto.randomUUID());
  await writeFile(path, content);
  const pairs: IncomingPair[] = [];
  const outcome = await readQaFile(
    { path, fileName, sizeBytes: 0, contentType: undefined },
    { headerRow: undefined, splitter: undefined, limits: INTAKE_LIMITS },
    async (batch) => void pairs.push(...batch),
  );
  return { outcome, pairs, cause: outcome.kind === "failed" ? outcome.cause : outcome.kind };
}

describe("exports as JSON", () => {
  const exportOf = (...documents: unknown[][]) =>
    JSON.stringify({ documents: documents.map((pairs) => ({ doc_name: "Hours", pairs })) });

  it("an export as JSON is read word for word, whatever its name", async () => {
    const written = {
      question: "Is <b>this</b> bold?",
      answer: "<p>No</p>\n=1+1 &amp; more",
      keywords: ["one\ntwo", "'three, four", "<i>five</i>"],
      tags: ["opening hours", "shop"],
    };
    for (const fileName of ["backup.json", "manual.pdf"]) {
      const { pairs, outcome } = await read(exportOf([written]), fileName);
      const { keywords: alternates, ...texts } = written;
      const source = { line: 1 };
      assert.deepEqual(pairs, [{ ...texts, alternates, origin: "row", source }], JSON.stringify(outcome));
    }
  });

  it("a pair of an export that is none is refused with its number, and documents are joined with a warning", async () => {
    const pair = { question: "When?", answer: "At nine.", keywords: [], tags: [] };
    const { pairs, outcome } = await read(
      exportOf([pair, { ...pair, question: "" }], [{ ...pair, question: "Who\u0000?", tags: null }, null]),
      "backup.json",
    );
    assert.deepEqual(
      pairs.map(({ question, tags }) => [question, tags]),
      [
        ["When?", []],
        ["Who?", []],
      ],
    );
    assert.ok(outcome.kind === "read", JSON.stringify(outcome));
    assert.deepEqual([outcome.rowsRead, outcome.pairs, outcome.rejected, outcome.blank], [4, 2, 2, 0]);
    assert.deepEqual(
      outcome.problems.map(({ line, cause }) => [line, cause]),
      [
        [2, "no_question"],
        [4, "no_question"],
        [undefined, "documents_joined"],
      ],
    );
  });

  it("JSON that is no export is refused, and an export without pairs too", async () => {
    const deep = `{"documents":[{"pairs":[${"[".repeat(30)}${"]".repeat(30)}]}]}`;
    for (const other of ["[", "null", "[]", "{}", '{"documents":[1]}', '{"documents":[{"pairs":{}}]}', deep])
      assert.equal((await read(other, "a.json")).cause, "not_an_export", other);
    assert.equal((await read(exportOf([]), "a.json")).cause, "no_rows");
  });
});
