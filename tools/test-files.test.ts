import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importsOf, reachedFrom, type ImportGraph } from "./imports.ts";
import { isPure, isServiceChanged, isTimed, needsPostgres, testFilesOf, touchedBy } from "./test-files.ts";

const FILES: Record<string, string> = {
  "packages/server/src/main.ts": `import "./delivery/drain.ts";`,
  "packages/server/src/delivery/drain.ts": `import type { Bed } from "../../../../tests/support/bed.ts";`,
  "packages/server/src/delivery/drain.test.ts": `import { drain } from "./drain.ts";`,
  "packages/server/src/delivery/store.test.ts": `export { open } from "../../../../tests/support/bed.ts";`,
  "packages/server/src/delivery/later.test.ts": `await import("../../../../tests/support/bed.ts");`,
  "tests/support/bed.ts": `import { start } from "./postgres.ts";`,
  "tests/support/postgres.ts": "",
  "tests/acceptance/order.test.ts": `import "../support/bed.ts";`,
  "tests/acceptance/page.test.ts": "",
};
const graph: ImportGraph = new Map(
  Object.entries(FILES).map(([path, code]) => [path, importsOf(path, code)]),
);
const TESTS = Object.keys(FILES).filter((file) => file.endsWith(".test.ts"));
const startsNothing = () => false;

describe("imports of a file", () => {
  it("imports are found in every form, and types are told apart", () => {
    const code = `import { a, type A } from "./a.ts";\nimport { type B } from "./b.ts";\nexport type * from "./c.ts";
      export * from "../d.ts";\nconst e = await import("./e.ts");\nimport "node:fs";\nimport { Event } from "@signalbox/contract";`;
    assert.deepEqual(importsOf("packages/x/src/file.ts", code), [
      { file: "packages/x/src/a.ts", line: 1, isTypeOnly: false },
      { file: "packages/x/src/b.ts", line: 2, isTypeOnly: true },
      { file: "packages/contract/src/index.ts", line: 7, isTypeOnly: false },
      { file: "packages/x/src/c.ts", line: 3, isTypeOnly: true },
      { file: "packages/x/d.ts", line: 4, isTypeOnly: false },
      { file: "packages/x/src/e.ts", line: 5, isTypeOnly: false },
    ]);
  });

  it("imports are followed at run time only, not through types", () => {
    assert.deepEqual(
      [...reachedFrom(graph, "packages/server/src/delivery/drain.test.ts")],
      ["packages/server/src/delivery/drain.test.ts", "packages/server/src/delivery/drain.ts"],
    );
  });
});

describe("npm test -- --pure", () => {
  it("--pure leaves out tests in tests/ and tests that reach a database or start processes", () => {
    const pure = (starts: (file: string) => boolean) => TESTS.filter((file) => isPure(graph, file, starts));
    assert.deepEqual(pure(startsNothing), ["packages/server/src/delivery/drain.test.ts"]);
    assert.deepEqual(
      pure((file) => file.endsWith("drain.test.ts")),
      [],
    );
  });

  it("PostgreSQL is started for tests that reach it through a re-export or a dynamic import", () => {
    assert.deepEqual(
      TESTS.filter((file) => needsPostgres(graph, file)),
      [
        "packages/server/src/delivery/store.test.ts",
        "packages/server/src/delivery/later.test.ts",
        "tests/acceptance/order.test.ts",
      ],
    );
  });
});

describe("test files that judge time", () => {
  it("the files that measure abuse, resources and complexity judge time, and most others do not", () => {
    const all = testFilesOf([]);
    const timed = all.filter(isTimed);
    for (const folder of ["tests/abuse/", "tests/resources/", "tests/complexity/"])
      assert.deepEqual(
        all.filter((file) => file.startsWith(folder) && !timed.includes(file)),
        [],
      );
    assert.ok(timed.length >= 10 && timed.length < 20, timed.join(", "));
  });
});

describe("npm test -- --changed", () => {
  it("--changed runs changed tests and the tests that load a changed file", () => {
    const changed = ["packages/server/src/delivery/drain.ts", "tests/acceptance/page.test.ts"];
    assert.deepEqual(touchedBy(graph, TESTS, changed), [
      "packages/server/src/delivery/drain.test.ts",
      "tests/acceptance/page.test.ts",
    ]);
  });

  it("--changed knows when the service was changed, also by a migration", () => {
    assert.equal(isServiceChanged(graph, ["packages/server/src/delivery/drain.ts"]), true);
    assert.equal(isServiceChanged(graph, ["packages/server/migrations/0001-begin.sql"]), true);
    assert.equal(isServiceChanged(graph, ["tests/support/bed.ts", "README.md"]), false);
  });
});

describe("npm test -- tools", () => {
  it("a folder as argument runs the tests in it", () => {
    assert.ok(testFilesOf(["tools"]).includes("tools/test-files.test.ts"));
    assert.deepEqual(testFilesOf(["tools/test-files.test.ts"]), ["tools/test-files.test.ts"]);
  });
});
