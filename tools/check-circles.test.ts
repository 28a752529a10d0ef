import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { circlesIn } from "./check-circles.ts";
import { importsOf, type ImportGraph } from "./imports.ts";

const graphOf = (files: Record<string, string>): ImportGraph =>
  new Map(Object.entries(files).map(([path, code]) => [path, importsOf(path, code)]));

describe("check of import cycles", () => {
  it("an import cycle is found through other files and through types", () => {
    const graph = graphOf({
      "a/one.ts": `import { two } from "./two.ts"; import "./leaf.ts";`,
      "a/two.ts": `export * from "./three.ts";`,
      "a/three.ts": `import type { One } from "./one.ts";`,
      "a/leaf.ts": "",
    });
    assert.deepEqual(circlesIn(graph), [["a/one.ts", "a/three.ts", "a/two.ts"]]);
  });

  it("two files that import the same third form no cycle", () => {
    const graph = graphOf({
      "a/one.ts": `import "./shared.ts"; import "./two.ts";`,
      "a/two.ts": `import "./shared.ts";`,
      "a/shared.ts": "",
    });
    assert.deepEqual(circlesIn(graph), []);
  });
});
