import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { watchCores } from "../tests/support/machine.ts";
import { counts, type FileResult } from "../tests/support/reporter.ts";
import { readImportGraph } from "./imports.ts";
import { openAdmission } from "./test-admission.ts";
import {
  changedFiles,
  isProof,
  isPure,
  isServiceChanged,
  isTimed,
  needsPostgres,
  testFilesOf,
  touchedBy,
} from "./test-files.ts";

const root = dirname(import.meta.dirname);
const GLOBAL_SETUP = "tests/support/global-setup.ts";
const ONE_TEST_TIMEOUT_MS = 1_200_000;
const TEST_FAILED = 1;
const RUNNER_ENDED = -1;
const WAIT_SHARE = 0.5;
/** Looks of four seconds each. */
const WAIT_LOOKS_MAX = 225;
/** Files that wait to be admitted: so many that one is among them that may run beside those that run. */
const WAITING_A_CORE = 4;
/** More of them at once are no coincidence. */
const UNSTEADY_FILES_MAX = 3;

/**
 * `npm test -- tests/acceptance --test-name-pattern=order`: folders, files and globs narrow, `--pure` leaves what needs no
 * database, `--changed` (or `--changed=BASE`) what a change touches; every other option goes to Node.
 */
const given = process.argv.slice(2);
const CHANGED = /^--changed(?:=(.+))?$/;
const isOurs = (argument: string) => argument === "--pure" || CHANGED.test(argument);
const options = given.filter((argument) => argument.startsWith("-") && !isOurs(argument));
const graph = readImportGraph();
const selected = select(testFilesOf(given.filter((argument) => !argument.startsWith("-"))));

function select(files: string[]): string[] {
  const startsProcesses = (file: string) =>
    readFileSync(join(root, file), "utf8").includes(`from "node:child_process"`);
  const pure = given.includes("--pure")
    ? files.filter((file) => isPure(graph, file, startsProcesses))
    : files;
  const changed = given.map((argument) => CHANGED.exec(argument)).find((match) => match !== null);
  if (changed === undefined) return pure;
  const paths = changedFiles(changed[1]);
  const touched = touchedBy(graph, pure, paths);
  console.log(`${paths.length} changed files touch ${touched.length} test files.`);
  if (isServiceChanged(graph, paths))
    console.log("The service is changed too. What starts it is not among them: npm test -- tests/acceptance");
  return touched;
}

const folder = mkdtempSync(join(tmpdir(), "signalbox-tests-"));
const runners = new Set<ChildProcess>();

// Ctrl-C reaches the runner as well, which must live long enough to take its cluster down.
process.on("SIGINT", () => {});
let isEnding = false;
process.on("SIGTERM", () => {
  isEnding = true;
  for (const runner of runners) runner.kill("SIGTERM");
});

type Run = { results: FileResult[]; code: number };

/** In one process, files of pure functions start no Node of their own, which costs more than most of them do. */
async function run(files: string[], { concurrency = 1, inOneProcess = false }): Promise<Run> {
  const resultsFile = join(folder, crypto.randomUUID());
  writeFileSync(resultsFile, "");
  const runner = spawn(
    process.execPath,
    [
      "--test",
      "--import=./tests/support/end-of-file.ts",
      "--test-reporter=./tests/support/reporter.ts",
      "--test-reporter-destination=stdout",
      ...(inOneProcess ? ["--test-isolation=none"] : [`--test-concurrency=${concurrency}`]),
      `--test-timeout=${ONE_TEST_TIMEOUT_MS}`,
      ...(files.some((file) => needsPostgres(graph, file)) ? [`--test-global-setup=${GLOBAL_SETUP}`] : []),
      ...options,
      ...files,
    ],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled"),
        ...process.env,
        TEST_RESULTS_FILE: resultsFile,
        ...(inOneProcess ? {} : { TEST_ADMISSION: admissionPath }),
      },
    },
  );
  runners.add(runner);
  const [code, signal] = (await once(runner, "exit")) as [number | null, NodeJS.Signals | null];
  runners.delete(runner);
  if (signal !== null) console.error(`the test runner was ended by ${signal}`);
  const lines = readFileSync(resultsFile, "utf8").trimEnd().split("\n");
  const results = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FileResult);
  // A test that ends the process ends the files after it too, and nothing else would tell.
  const isCutShort = inOneProcess && options.length === 0 && results.length < files.length;
  if (isCutShort) console.error(`only ${results.length} of ${files.length} test files were run to their end`);
  return { results, code: isCutShort ? RUNNER_ENDED : (code ?? RUNNER_ENDED) };
}

const isCi = process.env["CI"] === "true";
const cores = availableParallelism();
const admissionPath = join(folder, "admission");

const admission = await openAdmission({
  path: admissionPath,
  cores,
  isTimed: (file) => isTimed(relative(root, file)),
  look: watchMachine(),
});

/** In CI no test file begins while the host gives the machine to others. */
function watchMachine() {
  const look = watchCores();
  let looksWaited = 0;
  return () => {
    const { idleShare, stolenShare } = look();
    const isStarved = isCi && stolenShare > WAIT_SHARE && looksWaited < WAIT_LOOKS_MAX;
    if (isStarved) looksWaited += 1;
    return { idleShare, isStarved };
  };
}

let last = await runSelected();
let { results } = last;

async function runSelected(): Promise<Run> {
  if (selected.length > 0 && given.includes("--pure")) return runPure();
  // Most of them wait until the machine can take them: their order is Node's, and when they begin is ours.
  if (selected.length > 0) return run(selected, { concurrency: WAITING_A_CORE * cores });
  const isNarrowed = given.some(isOurs);
  console.log(isNarrowed ? "0 passed, 0 failed" : `there is no test file ${given.join(" ")}`);
  return { results: [], code: isNarrowed ? 0 : RUNNER_ENDED };
}

async function runPure(): Promise<Run> {
  const filesOf = (share: number) => selected.filter((_, index) => index % cores === share);
  const runs = await Promise.all(
    Array.from({ length: Math.min(cores, selected.length) }, (_, share) =>
      run(filesOf(share), { inOneProcess: true }),
    ),
  );
  const results = runs.flatMap((one) => one.results);
  console.log(`\n${counts(total(results))}`);
  return { results, code: runs.find(({ code }) => code !== 0)?.code ?? 0 };
}

/**
 * Beside other files on two cores a test can be too slow, or meet a moment that its author did not think of: its file gets
 * one more run, alone. A proof that nothing is lost gets it for missed time bounds only: a rerun could hide a loss.
 */
const failed = results.filter((result) => result.failed > 0);
const slow = failed.filter(({ failed, tooSlow }) => tooSlow === failed);
const unsteady = failed.filter((result) => !slow.includes(result) && !isProof(result.file));
const again = [...slow, ...(unsteady.length > UNSTEADY_FILES_MAX ? [] : unsteady)].map(({ file }) => file);
if (isCi && !isEnding && again.length > 0) {
  console.log(`\nRun again, alone: ${again.join(", ")}\n`);
  last = await run(again, {});
  results = [...results.filter(({ file }) => !again.includes(file)), ...last.results];
  for (const { file } of last.results.filter(({ failed }) => failed === 0))
    console.log(
      `\nUnsteady: ${file} failed above and passed alone. docs/contributing/flaky-tests.md has patterns.`,
    );
  console.log(`\n${counts(total(results))}`);
}
await admission[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });
// What was not judged makes the runner end as a failed test does, and as nothing else does.
const expectedCode = total(last.results).notJudged > 0 ? TEST_FAILED : 0;
process.exitCode = total(results).failed > 0 || last.code !== expectedCode ? 1 : 0;

function total(results: FileResult[]): Pick<FileResult, "passed" | "failed" | "skipped" | "notJudged"> {
  const sum = (of: (result: FileResult) => number) =>
    results.reduce((before, result) => before + of(result), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    notJudged: sum(({ notJudged }) => notJudged),
  };
}
