import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CAUSE_NAMES, causePage, CAUSES } from "./causes.ts";

const repository = join(import.meta.dirname, "../../..");

describe("causes", () => {
  it("every cause has a page, and every page a cause", async () => {
    const folder = join(repository, "docs/reference/errors/causes");
    const present = (await readdir(folder)).filter((name) => name !== "README.md");
    assert.deepEqual(present.toSorted(), CAUSE_NAMES.map((name) => `${name}.md`).toSorted());
    const index = await readFile(join(folder, "README.md"), "utf8");
    for (const name of CAUSE_NAMES) {
      const page = await readFile(join(repository, causePage(name)), "utf8");
      assert.ok(page.startsWith(`# ${name}: ${CAUSES[name]}\n`), `${name} says what it is`);
      for (const heading of ["## When it happens", "## What Signalbox does", "## What to do"])
        assert.ok(page.includes(`\n${heading}\n`), `${name}: ${heading}`);
      assert.ok(index.includes(`| [${name}](${name}.md) | ${CAUSES[name]} |`), `the index names ${name}`);
    }
  });
});
