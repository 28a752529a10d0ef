import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { generatedTable } from "@signalbox/tests/support/generated-tables.ts";
import { INTAKE_LIMITS } from "../limits.ts";
import { readRows } from "./read-rows.ts";

const TABLES = Number(process.env["TABLES"] ?? 600);

describe("columns of generated tables", () => {
  let directory = "";
  before(async () => void (directory = await mkdtemp(join(tmpdir(), "tables-"))));
  after(() => rm(directory, { recursive: true }));

  it("a generated table is read with the right columns and header, or its columns are asked for", async () => {
    const wrong: string[] = [];
    let [named, found] = [0, 0];
    for (let seed = 1; seed <= TABLES; seed += 1) {
      const { name, bytes, fileName, columns, headerRows, shape } = generatedTable(seed);
      const path = join(directory, "table");
      await writeFile(path, bytes);
      const job = { path, fileName, contentType: undefined, headerRow: undefined, splitter: undefined };
      const outcome = await readRows({ ...job, limits: INTAKE_LIMITS }, async () => {});
      const isPlain = shape.naming === "pairs";
      if (isPlain) named += 1;
      if (outcome.kind === "failed") {
        if (outcome.table === undefined) wrong.push(`${name}: ${outcome.cause}`);
        continue;
      }
      if (isPlain) found += 1;
      const read = [outcome.columns.question + 1, outcome.columns.answer + 1];
      if (String(read) !== String(columns) || outcome.headerRows !== headerRows)
        wrong.push(`${name}: read ${read.join(", ")} with ${outcome.headerRows} header rows`);
    }
    assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} of ${TABLES} are silently wrong`);
    assert.ok(found / named >= 0.9, `only ${found} of ${named} tables with named columns were read`);
  });
});
