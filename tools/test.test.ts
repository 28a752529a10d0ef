import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

const root = join(import.meta.dirname, "..");
const machine = join(root, "tests/support/machine.ts");

/** All but one fail in their first run and would pass in a second. */
const planted = {
  "loses-a-message.test.ts": `assert.ok(isSecondRun, "a message was lost");`,
  "waits-in-vain.test.ts": `if (!isSecondRun) throw new Error("did not happen within 10 ms");`,
  "stays-red.test.ts": `assert.fail("a message was lost");`,
  "leaves.test.ts": `process.exit(0);`,
  "answers-late.test.ts": `(await import(${JSON.stringify(machine)})).atMost(isSecondRun ? 1 : 2, 1, "an answer");`,
};

describe("npm test in CI", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-runner-"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    for (const [name, body] of Object.entries(planted))
      writeFileSync(join(folder, name), testFile(name, body));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function testFile(name: string, body: string): string {
    const marker = JSON.stringify(join(folder, `${name}.seen`));
    return `import assert from "node:assert/strict"; import { existsSync, writeFileSync } from "node:fs"; import { it } from "node:test";
      it("holds", async () => { const isSecondRun = existsSync(${marker}); writeFileSync(${marker}, ""); ${body} assert.ok(true); });\n`;
  }

  function run(file: string, ...options: string[]) {
    const env: NodeJS.ProcessEnv = { ...process.env, CI: "true" };
    delete env["NODE_TEST_CONTEXT"];
    const { stdout, status } = spawnSync(process.execPath, [join(root, "tools/test.ts"), file, ...options], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    return { lastLine: stdout.trimEnd().split("\n").at(-1), status };
  }

  it("a failure beside other files is judged by one more run, alone", () => {
    for (const name of ["loses-a-message.test.ts", "waits-in-vain.test.ts"])
      assert.deepEqual(run(join(folder, name)), { lastLine: "1 passed, 0 failed", status: 0 }, name);
    assert.deepEqual(run(join(folder, "stays-red.test.ts")), { lastLine: "0 passed, 1 failed", status: 1 });
  });

  it("a failure of a proof is final, even if a second run would pass", () => {
    const proof = `tests/faults/planted-${process.pid}.test.ts`;
    writeFileSync(join(root, proof), testFile("proof", `assert.ok(isSecondRun, "a message was lost");`));
    try {
      assert.deepEqual(run(proof), { lastLine: "0 passed, 1 failed", status: 1 });
    } finally {
      rmSync(join(root, proof));
    }
  });

  it("failures of many files at once are final", () => {
    for (const name of ["a", "b", "c", "d"])
      writeFileSync(
        join(folder, `many-${name}.test.ts`),
        testFile(`many-${name}`, planted["loses-a-message.test.ts"]),
      );
    assert.deepEqual(run(join(folder, "many-*.test.ts")), { lastLine: "0 passed, 4 failed", status: 1 });
  });

  it("a test that ends the process fails the run, also when files share the process", () => {
    assert.equal(run(join(folder, "leaves.test.ts")).status, 1);
    // Only files of the repository are known to be pure.
    const pure = `tools/planted-${process.pid}.test.ts`;
    writeFileSync(join(root, pure), testFile("pure", planted["leaves.test.ts"]));
    try {
      assert.equal(run(pure, "--pure").status, 1);
    } finally {
      rmSync(join(root, pure));
    }
  });

  it("a file that missed only a time bound is run again, alone", () => {
    const { lastLine, status } = run(join(folder, "answers-late.test.ts"));
    // Not judged at all while the host gives the machine to others: then it is skipped, and nothing runs again.
    assert.match(lastLine ?? "", /^(1 passed, 0 failed|0 passed, 0 failed, 1 skipped)$/);
    assert.equal(status, 0);
  });
});
