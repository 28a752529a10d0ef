import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSync, Visitor } from "oxc-parser";
import { continuesDescribe } from "./test-titles.ts";

function refusedIn(code: string): number {
  let refused = 0;
  new Visitor({
    CallExpression(node) {
      if (continuesDescribe(node as unknown as Parameters<typeof continuesDescribe>[0])) refused += 1;
    },
  }).visit(parseSync("a.test.ts", code).program);
  return refused;
}

describe("lint of test titles", () => {
  for (const code of [
    `it("is refused without a key", run);`,
    `it("never waits for a lane that is held", run);`,
    "it(`refuses ${count} requests`, run);",
    `test("gives up when nobody answers", { timeout: 1 }, run);`,
  ])
    it(`the title continues its describe and is refused: ${code}`, () => assert.equal(refusedIn(code), 1));

  for (const code of [
    `it("a request without a key is refused", run);`,
    `it("4.3 is limited to ten calls a minute per key", run);`,
    "it(`${name} is refused`, run);",
    `it(title, run);`,
    `describe("is not judged", run);`,
    `is("never"); pattern.test("is");`,
  ])
    it(`the title stands alone and passes: ${code}`, () => assert.equal(refusedIn(code), 0));
});
