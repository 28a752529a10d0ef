import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { HOSTILE_FILE_MS_MAX, hostileFiles } from "@signalbox/tests/support/hostile-files.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const ANSWER_MS_MAX = 1_000;
const MEGABYTES_MAX = 600;

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), "hostile-"))));
after(() => rm(directory, { recursive: true }));

interface Measured {
  ended: string;
  seconds: number;
  cpuSeconds: number;
  megabytes: number;
  answered: number;
  slowestMs: number;
}

/** A process of its own, so that its memory is its own: it reads the file and answers others meanwhile. */
const READER = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extractFile } from "${new URL("./extract/extract-file.ts", import.meta.url).href}";
import { INTAKE_LIMITS as limits } from "${new URL("./limits.ts", import.meta.url).href}";
import { readQaFile } from "${new URL("./qa/read-qa-file.ts", import.meta.url).href}";
const { file, as } = JSON.parse(process.argv[1]);
const server = createServer((_, response) => response.end("here"));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
let slowestMs = 0, answered = 0, isOver = false;
const asking = (async () => {
  while (!isOver) {
    const askedAt = performance.now();
    if ((await (await fetch("http://127.0.0.1:" + server.address().port)).text()) !== "here") throw new Error("no answer");
    slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    answered += 1;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
})();
const startedAt = performance.now();
const result = as === "pairs"
  ? await readQaFile(file, { headerRow: undefined, splitter: undefined, limits }, async () => {})
  : await extractFile(file, { splitter: undefined, chunkToken: 600, limits });
const seconds = (performance.now() - startedAt) / 1000;
isOver = true;
await asking;
const { userCPUTime, systemCPUTime } = process.resourceUsage();
// Not maxRSS, which a process inherits from its parent.
const megabytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
const ended = result.kind === "failed" ? result.cause : result.kind;
console.log(JSON.stringify({ ended, seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes, answered, slowestMs }));
process.exit();
`;

async function readInOwnProcess(file: object, as: string | undefined): Promise<Measured> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", READER, JSON.stringify({ file, as })],
    { timeout: 120_000 },
  );
  return JSON.parse(stdout) as Measured;
}

describe("hostile files", () => {
  for (const { what, fileName, content, ends, as } of hostileFiles(2)) {
    it(`${what}: reading ends in time and in bounds, while others are answered`, async (context) => {
      const path = join(directory, "file");
      await writeFile(path, content());
      const file = { path, fileName, sizeBytes: (await stat(path)).size, sha256: "", contentType: undefined };
      const { ended, seconds, cpuSeconds, slowestMs, answered, megabytes } = await readInOwnProcess(file, as);
      context.diagnostic(
        `${ended}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB, slowest of ${answered} answers ${slowestMs.toFixed(0)} ms`,
      );
      assert.ok(ends.includes(ended), ended);
      // On a busy machine the clock counts the work of others; what the file itself cost does not change.
      atMost(1000 * Math.min(seconds, cpuSeconds), HOSTILE_FILE_MS_MAX, "the file");
      assert.ok(megabytes < MEGABYTES_MAX, `${megabytes} MB`);
      atMost(slowestMs, ANSWER_MS_MAX, "the slowest answer");
    });
  }
});
