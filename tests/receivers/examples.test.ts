import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { EXAMPLES, examples, judgeExample } from "./example-programs.ts";

const LINES_MAX = 40;

describe("example receivers", () => {
  for (const [name, { file, command, missing = false }] of Object.entries(EXAMPLES)) {
    it(`the ${name} receiver keeps every rule, in under ${LINES_MAX} lines`, { skip: missing }, async () => {
      const lines = readFileSync(join(examples, file), "utf8").split("\n").length - 1;
      assert.ok(lines < LINES_MAX, `${file} has ${lines} lines`);
      const { results } = await judgeExample(command);
      assert.deepEqual(
        results.filter(({ state }) => state !== "passed"),
        [],
      );
    });
  }
});
