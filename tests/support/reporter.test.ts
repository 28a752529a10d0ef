import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { FileResult } from "./reporter.ts";

const planted = {
  "passes.test.ts": `describe("group", () => { it("one", () => {}); describe("deep", () => { it("two", () => {}); }); });
    it("parent", async (t) => { await t.test("three", () => {}); });`,
  "fails.test.ts": `describe("group", () => { it("differs", () => { assert.deepEqual({ a: 1 }, { a: 2 }); }); it("fine", () => {}); });`,
  "hook.test.ts": `describe("group", () => { before(() => { throw new Error("no database"); }); it("waits for it", () => {}); });`,
  "skips.test.ts": `it("skipped", { skip: "not here" }, () => {}); it.todo("later"); it("runs", () => { console.log("a figure"); });`,
  "crashes.test.ts": `it("first", () => {}); it("dies", async () => { await delay(20); process.exit(1); });`,
  "leaves.test.ts": `it("first", () => {}); it("leaves", async () => { await delay(20); process.exit(0); }); it("never", () => {});`,
  "hangs.test.ts": `it("hangs", { timeout: 50 }, async () => { await delay(300); });`,
  "empty.test.ts": `assert.ok(true); if (describe === it) throw new Error("never");`,
  "late.test.ts": `it("comes in time", () => { throw new Error("did not happen within 10 ms"); });`,
  "tests/slow.test.ts": `it("is quick", async () => { (await import("${join(import.meta.dirname, "machine.ts")}")).atMost(2, 1, "it"); });`,
  "broken.test.ts": `import "./absent.ts";`,
};
const preamble = `import assert from "node:assert/strict"; import { before, describe, it } from "node:test";
  const delay = (ms: number) => new Promise((done) => setTimeout(done, ms)); void [assert, before, describe, it, delay];\n`;

describe("test reporter", () => {
  let folder: string;
  let results: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-reporter-"));
    results = join(folder, "results");
    mkdirSync(join(folder, "tests"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    for (const [name, text] of Object.entries(planted)) writeFileSync(join(folder, name), preamble + text);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(...argv: string[]) {
    const env: NodeJS.ProcessEnv = { ...process.env, TEST_RESULTS_FILE: results };
    delete env["NODE_TEST_CONTEXT"];
    const reporter = join(import.meta.dirname, "reporter.ts");
    const options = ["--test", `--test-reporter=${reporter}`, "--test-reporter-destination=stdout", ...argv];
    const { stdout, status } = spawnSync(process.execPath, options, { cwd: folder, env, encoding: "utf8" });
    return { stdout, status, lastLine: stdout.trimEnd().split("\n").at(-1) };
  }

  it("the reporter prints each file's line, counts and reasons, and their sum", () => {
    const seen = run("*.test.ts");
    const says: [name: string, counts: string, reason: RegExp][] = [
      ["passes.test.ts", "3 passed, 0 failed", /^/],
      [
        "fails.test.ts",
        "1 passed, 1 failed",
        /✖ group > differs\n {4}at fails\.test\.ts:3:\d+\n[^]*\+ {3}a: 1\n[^]*- {3}a: 2/,
      ],
      ["hook.test.ts", "0 passed, 2 failed", /no database/],
      ["skips.test.ts", "1 passed, 0 failed, 2 skipped", /^ {4}a figure$/m],
      ["crashes.test.ts", "1 passed, 1 failed", /ended with exit code 1/],
      ["leaves.test.ts", "1 passed, 1 failed", /ended before its tests did/],
      ["hangs.test.ts", "0 passed, 1 failed", /timed out after 50ms/],
      ["empty.test.ts", "0 passed, 1 failed", /it holds no test/],
      ["broken.test.ts", "0 passed, 1 failed", /Cannot find module .*absent\.ts/],
    ];
    const sections = seen.stdout.split(/^(?=[✔✖] )/m);
    for (const [name, counts, reason] of says) {
      const section = sections.find((text) => text.slice(2).startsWith(`${name}  `)) ?? "";
      assert.match(
        section,
        new RegExp(`^${counts.includes(" 0 failed") ? "✔" : "✖"} ${name}  ${counts}  [\\d.]+ s\n`),
      );
      assert.match(section, reason);
    }
    assert.equal(seen.lastLine, "7 passed, 9 failed, 2 skipped");
    assert.equal(seen.status, 1);
  });

  it("the reporter repeats every failure and its reason at the end, before the closing line", () => {
    const { stdout } = run("fails.test.ts", "hook.test.ts", "passes.test.ts");
    const end = stdout.slice(stdout.indexOf("\nWhat failed:\n"));
    assert.match(
      end,
      /✖ group > differs\n {4}at fails\.test\.ts:3:\d+\n[^]*\+ {3}a: 1\n[^]*no database[^]*\n\n4 passed, 3 failed\n$/,
    );
    assert.doesNotMatch(run("passes.test.ts").stdout, /What failed/);
  });

  it("the reporter writes the result of each file for the process that started the run", () => {
    rmSync(results, { force: true });
    run("passes.test.ts", "fails.test.ts", "late.test.ts");
    const told = readFileSync(results, "utf8").trimEnd().split("\n");
    const none = { passed: 0, failed: 0, skipped: 0, notJudged: 0, tooSlow: 0 };
    assert.deepEqual(
      told.map((line) => JSON.parse(line) as unknown),
      [
        { ...none, file: "fails.test.ts", passed: 1, failed: 1 },
        { ...none, file: "late.test.ts", failed: 1 },
        { ...none, file: "passes.test.ts", passed: 3 },
      ],
    );
  });

  it("the reporter marks what was only slow: failed as such, or not judged on a starved machine", () => {
    rmSync(results, { force: true });
    run("tests/slow.test.ts");
    const { failed, tooSlow, notJudged } = JSON.parse(readFileSync(results, "utf8")) as FileResult;
    assert.deepEqual([failed + notJudged, tooSlow], [1, failed]);
  });

  it("the run succeeds when nothing failed", () => {
    const seen = run("passes.test.ts");
    assert.deepEqual([seen.lastLine, seen.status], ["3 passed, 0 failed", 0]);
  });

  it("the run fails when a file exits with 0 before its tests are over", () => {
    const seen = run("leaves.test.ts");
    assert.deepEqual([seen.lastLine, seen.status], ["1 passed, 1 failed", 1]);
  });

  it("the reporter skips files without a test of the given name", () => {
    const seen = run("--test-name-pattern=differs|fine", "fails.test.ts", "passes.test.ts");
    assert.equal(seen.lastLine, "1 passed, 1 failed");
    assert.doesNotMatch(seen.stdout, /passes\.test\.ts/);
  });
});
