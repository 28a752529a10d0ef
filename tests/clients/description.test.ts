import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { description, installed, print, without } from "./installed.ts";

type Report = {
  totals: { errors: number; warnings: number };
  problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
};

describe("API description", () => {
  it(
    "the API description passes redocly's lint without an error or a warning, examples included",
    { skip: without("@redocly/cli") },
    async () => {
      const cli = installed("@redocly/cli/bin/cli.js");
      const said = await print(process.execPath, [
        cli,
        "lint",
        description,
        "--config=redocly.yaml",
        "--format=json",
      ]);
      const { totals, problems } = JSON.parse(said) as Report;
      assert.deepEqual(
        problems.map(
          ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer ?? ""}`,
        ),
        [],
      );
      assert.deepEqual([totals.errors, totals.warnings], [0, 0]);
    },
  );
});
