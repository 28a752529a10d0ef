import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { PUBLISHED } from "./pack.ts";

const root = dirname(import.meta.dirname);
const PINNED = /^(?:\.\/|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/;
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

describe("GitHub workflows", () => {
  for (const path of globSync(".github/workflows/*.yml", { cwd: root })) {
    it(`every action is pinned by commit, with its version beside it: ${path}`, () => {
      const used = [...textOf(path).matchAll(/uses: (.+)$/gm)].map(([, action]) => action ?? "");
      assert.ok(used.length > 0);
      assert.deepEqual(
        used.filter((action) => !PINNED.test(action)),
        [],
      );
    });

    it(`the workflow has read-only permissions by default: ${path}`, () => {
      assert.match(textOf(path), /^permissions:\n {2}contents: read\n/m);
    });
  }

  it("the release workflow publishes every package in the order of their dependencies", () => {
    const [, names = ""] = /for name in (.+); do/.exec(textOf(".github/workflows/release.yml")) ?? [];
    const wanted = PUBLISHED.map((name) => (name === "cli" ? "signalbox" : `signalbox-${name}`));
    assert.deepEqual(names.split(" "), wanted);
  });
});
