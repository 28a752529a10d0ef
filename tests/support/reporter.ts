import { appendFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import { STARVED_SHARE, watchSteal } from "./machine.ts";

/** Over the whole run: a file's own results come late, and all at once. */
const stolenShare = watchSteal();

type Result = EventData.TestPass | EventData.TestFail;
type Failure = { path: string[]; nesting: number; location: string; text: string };

/** What a run tells of each file. */
export type FileResult = {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  /** The skipped tests that took too long while the host gave the machine to others. */
  notJudged: number;
  /** The failed tests that only took too long: beside another file on the same cores, perhaps. */
  tooSlow: number;
};

type FileRun = {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  failures: Failure[];
  notJudged: string[];
  tooSlow: number;
  /** How many results stand below each nesting level, waiting for their parent's own result. */
  below: number[];
  output: string[];
  complaints: string[];
  diagnostics: string[];
  durationMs: number;
  /** A process that leaves early sends no summary: its remaining tests never ran and nobody else would notice. */
  isSummarised: boolean;
  isCrashed: boolean;
  holdsTests: boolean;
};

const RUNNER_FRAME = /^\s+at .*(node:internal\/|node:async_hooks|(new Promise|Array\.map) \(<anonymous>\))/;

/** Asked for by name, most files have nothing to run; otherwise a file without a test is a mistake. */
const isNarrowed = process.execArgv.some((option) => /^--test-(name-pattern|skip-pattern|only)/.test(option));

/** All files in one process have one summary together. */
const isShared = process.execArgv.includes("--test-isolation=none");

/** One line a test file, failures in full, there and once more at the end, and last of all `N passed, N failed`. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const runs = new Map<string, FileRun>();
  const failures: Failure[] = [];
  let current: FileRun | undefined;

  const runOf = (path: string): FileRun => {
    const file = resolve(path);
    const run = runs.get(file) ?? newRun(file);
    runs.set(file, run);
    return run;
  };
  const close = (run: FileRun): string => {
    runs.delete(run.file);
    if (isNarrowed && !run.holdsTests && !run.isCrashed) return "";
    judgeEnd(run);
    total.passed += run.passed;
    total.failed += run.failed;
    total.skipped += run.skipped;
    failures.push(...run.failures);
    tell(run);
    return describeRun(run);
  };

  for await (const { type, data } of events) {
    if (type === "test:stdout") runOf(data.file).output.push(data.message);
    else if (type === "test:stderr") runOf(data.file).complaints.push(data.message);
    else if (type === "test:diagnostic" && data.file !== undefined)
      runOf(data.file).diagnostics.push(data.message);
    else if (
      (type === "test:pass" || type === "test:fail" || type === "test:summary") &&
      data.file !== undefined
    ) {
      // Results of one file arrive together, and its crash after its summary: so a file ends where the next begins.
      if (current !== undefined && current.file !== resolve(data.file)) yield close(current);
      current = runOf(data.file);
      if (type === "test:summary") {
        current.isSummarised = true;
        current.durationMs = data.duration_ms;
      } else count(current, data, type === "test:fail");
    }
  }
  if (current !== undefined) yield close(current);
  for (const run of runs.values()) yield close(run);

  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
  // Often only the end of a long log is kept.
  if (failures.length > 0) yield ["", "What failed:", ...failures.flatMap(describeFailure), ""].join("\n");
  yield `\n${counts(total)}\n`;
}

/** The result of each file, a line of JSON each, for the program that started the run. */
function tell({ file, passed, failed, skipped, notJudged, tooSlow }: FileRun): void {
  const path = process.env["TEST_RESULTS_FILE"];
  if (path === undefined) return;
  const counted = { passed, failed, skipped, notJudged: notJudged.length, tooSlow };
  const result: FileResult = { file: relative(process.cwd(), file), ...counted };
  appendFileSync(path, `${JSON.stringify(result)}\n`);
}

function newRun(file: string): FileRun {
  return {
    file,
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
    notJudged: [],
    tooSlow: 0,
    below: [],
    output: [],
    complaints: [],
    diagnostics: [],
    durationMs: 0,
    isSummarised: false,
    isCrashed: false,
    holdsTests: false,
  };
}

function count(run: FileRun, data: Result, isFailed: boolean): void {
  const isFile = data.nesting === 0 && resolve(data.name) === run.file;
  if (isFile) {
    run.durationMs = Math.max(run.durationMs, data.details.duration_ms);
    run.isCrashed = isFailed;
    if (isFailed) addFailure(run, data, "the test file itself failed", false);
    return;
  }

  run.holdsTests = true;
  if (data.nesting === 0) run.durationMs += data.details.duration_ms;
  const hasChildren = (run.below[data.nesting + 1] ?? 0) > 0;
  run.below[data.nesting + 1] = 0;
  run.below[data.nesting] = (run.below[data.nesting] ?? 0) + 1;
  nameParent(run, data);

  const isLeaf = data.details.type !== "suite" && !hasChildren;
  const isOnHold = Boolean(data.skip) || Boolean(data.todo);
  const isLate = isFailed && isTooSlow(data) && stolenShare() > STARVED_SHARE;
  if (isOnHold) run.skipped += hasChildren ? 0 : 1;
  else if (isLate) {
    run.skipped += 1;
    run.notJudged.push(`${data.name}: ${describeError(data).split("\n")[0] ?? ""}`);
  } else if (isFailed && failureType(data) !== "subtestsFailed") addFailure(run, data, data.name, isLeaf);
  else if (isLeaf) run.passed += 1;
}

/** Children report before their parent, so a failure learns the names above it afterwards. */
function nameParent(run: FileRun, { name, nesting }: Result): void {
  for (const failure of run.failures) {
    if (failure.nesting !== nesting + 1) continue;
    failure.path.unshift(name);
    failure.nesting = nesting;
  }
}

function addFailure(run: FileRun, data: Result, name: string, isLeaf: boolean): void {
  run.failed += 1;
  run.tooSlow += isTooSlow(data) ? 1 : 0;
  const { line, column, nesting } = data;
  const location = `${relative(process.cwd(), run.file)}${line === undefined ? "" : `:${line}:${column ?? 1}`}`;
  const isCancelled = isLeaf && failureType(data) === "cancelledByParent";
  const text = isCancelled ? "did not run: what it belongs to failed first" : describeError(data);
  run.failures.push({ path: [name], nesting, location, text });
}

function judgeEnd(run: FileRun): void {
  const complain = (text: string) => {
    run.failed += 1;
    run.failures.push({
      path: ["the test file itself failed"],
      nesting: 0,
      location: relative(process.cwd(), run.file),
      text,
    });
  };
  if (run.isCrashed) return;
  if (!run.holdsTests) complain("it holds no test");
  else if (!run.isSummarised && !isShared) complain("its process ended before its tests did");
}

function errorOf(
  data: Result,
): (Error & { failureType?: string; exitCode?: number; signal?: string }) | undefined {
  return "error" in data.details ? data.details.error : undefined;
}

function errorNameOf(data: Result): string | undefined {
  const error = errorOf(data);
  const cause = error?.cause ?? error;
  return cause instanceof Error ? cause.name : undefined;
}

function isTooSlow(data: Result): boolean {
  return errorNameOf(data) === "TooSlow";
}

function failureType(data: Result): string | undefined {
  return errorOf(data)?.failureType;
}

function describeError(data: Result): string {
  const error = errorOf(data);
  if (error === undefined) return "no reason given";
  if (error.exitCode !== undefined || error.signal) {
    return error.signal
      ? `its process was ended by ${error.signal}`
      : `its process ended with exit code ${error.exitCode}`;
  }
  const cause = error.cause ?? error;
  if (typeof cause === "string") return cause;
  if (!(cause instanceof Error)) return inspect(cause, { depth: 6 });
  // An assertion's message already holds the difference; its fields would print both sides again.
  const text =
    cause.name === "AssertionError" ? (cause.stack ?? cause.message) : inspect(cause, { depth: 6 });
  return text
    .split("\n")
    .filter((line) => !RUNNER_FRAME.test(line))
    .join("\n");
}

function describeRun(run: FileRun): string {
  const mark = run.failed > 0 ? "✖" : "✔";
  const seconds = (run.durationMs / 1000).toFixed(1);
  const lines = [`${mark} ${relative(process.cwd(), run.file)}  ${counts(run)}  ${seconds} s`];
  for (const text of [...run.diagnostics, ...run.output]) lines.push(indent(text.trimEnd(), 4));
  for (const late of run.notJudged)
    lines.push(`    not judged, the host gave ${percentStolen()} of the machine to others: ${late}`);
  lines.push(...run.failures.flatMap(describeFailure));
  if (run.failures.length > 0) {
    if (run.complaints.length > 0)
      lines.push("", "  what it wrote to stderr:", indent(run.complaints.join("").trimEnd(), 4));
    lines.push("");
  }
  return `${lines.join("\n")}\n`;
}

function describeFailure({ path, location, text }: Failure): string[] {
  return ["", `  ✖ ${path.join(" > ")}`, `    at ${location}`, indent(text, 4)];
}

function percentStolen(): string {
  return `${Math.round(100 * stolenShare())} %`;
}

export function counts({
  passed,
  failed,
  skipped,
}: {
  passed: number;
  failed: number;
  skipped: number;
}): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

function indent(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(by));
}
