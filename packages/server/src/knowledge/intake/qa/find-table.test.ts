import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { VENDOR_FILES, type VendorFile } from "@signalbox/tests/support/vendor-files.ts";
import { INTAKE_LIMITS } from "../limits.ts";
import { readRows } from "./read-rows.ts";

describe("columns of files as other products write them", () => {
  let directory = "";
  before(async () => void (directory = await mkdtemp(join(tmpdir(), "columns-"))));
  after(() => rm(directory, { recursive: true }));

  /** The columns and the header as they were read, or "asks". */
  async function readingOf({ fileName, bytes }: VendorFile) {
    const path = join(directory, crypto.randomUUID());
    await writeFile(path, bytes);
    const job = { path, fileName, contentType: undefined, headerRow: undefined, splitter: undefined };
    const outcome = await readRows({ ...job, limits: INTAKE_LIMITS }, async () => {});
    if (outcome.kind === "failed") return { asks: outcome.cause, rejected: 0 };
    const { columns, headerRows, rejected } = outcome;
    return { columns: [columns.question + 1, columns.answer + 1], headerRows, rejected };
  }

  for (const file of VENDOR_FILES)
    it(`the columns are found or asked for: ${file.name}`, async () => {
      const { rejected, ...reading } = await readingOf(file);
      assert.deepEqual(
        reading,
        file.asks === true
          ? { asks: "columns_unclear" }
          : { columns: file.columns, headerRows: file.headerRows },
      );
      assert.equal(rejected, 0);
    });

  it("no file of another product is read with wrong columns or its header as a pair", async () => {
    const wrong: string[] = [];
    for (const file of VENDOR_FILES) {
      const { columns, headerRows } = await readingOf(file);
      if (columns === undefined) continue;
      if (String(columns) !== String(file.columns) || headerRows !== file.headerRows) wrong.push(file.name);
    }
    assert.ok(VENDOR_FILES.length >= 40);
    assert.deepEqual(wrong, []);
  });
});
