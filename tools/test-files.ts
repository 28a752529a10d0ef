import { globSync, statSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { branchPoint, git } from "./git.ts";
import { type ImportGraph, reachedFrom } from "./imports.ts";

const root = dirname(import.meta.dirname);
const ALL = ["packages/**/*.test.ts", "tools/**/*.test.ts", "tests/**/*.test.ts"];
const LEFT_OUT = ["**/node_modules"];
/** A test beside its file calls it; one in tests/ starts programs, and is never pure. */
const PURE = ["packages/**", "tools/**", "tests/support/**"];
const SERVICE = "packages/server/src/main.ts";

const STARTS_POSTGRES = "tests/support/postgres.ts";
/** A test that loads one of these starts a server, a browser, a thread or a process. */
const STARTS_SOMETHING = [
  STARTS_POSTGRES,
  "tests/support/engine.ts",
  "tests/support/chromium.ts",
  "packages/server/src/knowledge/intake/run-worker.ts",
];

/** The test files that folders, files and globs name; all of them without any. */
export function testFilesOf(names: readonly string[]): string[] {
  const globs = names.map((name) =>
    statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === true
      ? join(name, "**/*.test.ts")
      : name,
  );
  return globSync(globs.length > 0 ? globs : ALL, { cwd: root, exclude: LEFT_OUT }).toSorted();
}

/** Without a database, and quick: for `npm run verify`. */
export function isPure(
  graph: ImportGraph,
  file: string,
  startsProcesses: (file: string) => boolean,
): boolean {
  const reached = reachedFrom(graph, file);
  return (
    PURE.some((glob) => matchesGlob(file, glob)) &&
    !STARTS_SOMETHING.some((starter) => reached.has(starter)) &&
    !startsProcesses(file)
  );
}

export function needsPostgres(graph: ImportGraph, file: string): boolean {
  return reachedFrom(graph, file).has(STARTS_POSTGRES);
}

/** They compare latencies or CPU, or are excused by load: more work beside them would change what they say. */
const TIMED = [
  "packages/server/src/knowledge/intake/hostile-files.test.ts",
  "tests/abuse/**",
  "tests/acceptance/4.4-health.test.ts",
  "tests/complexity/**",
  "tests/faults/campaign.test.ts",
  "tests/faults/cluster.test.ts",
  "tests/faults/hostile-files.test.ts",
  "tests/fuzz/**",
  "tests/histories/**",
  "tests/resources/**",
];

/** Beside it run no more files than there are cores. */
export function isTimed(file: string): boolean {
  return TIMED.some((glob) => matchesGlob(file, glob));
}

/** They look for what happens once in thousands: a rerun that passes would prove nothing. */
const PROOFS = ["tests/accounts/**", "tests/faults/**", "tests/fuzz/**", "tests/histories/**"];

/** A failure of it is final, even if it passes when it is run again. */
export function isProof(file: string): boolean {
  return PROOFS.some((glob) => matchesGlob(file, glob));
}

/** The tests that load a changed file, or are one. */
export function touchedBy(
  graph: ImportGraph,
  tests: readonly string[],
  changed: readonly string[],
): string[] {
  return tests.filter((test) => {
    const reached = reachedFrom(graph, test);
    return changed.some((file) => reached.has(file));
  });
}

/** Tests that start the service load none of it: what they test may have changed all the same. */
export function isServiceChanged(graph: ImportGraph, changed: readonly string[]): boolean {
  const reached = reachedFrom(graph, SERVICE);
  return changed.some((file) => reached.has(file) || file.startsWith("packages/server/migrations/"));
}

/** Committed since `base` or not committed yet, without what was deleted. */
export function changedFiles(base: string | undefined): string[] {
  const from = branchPoint(base);
  if (from === undefined)
    throw new Error("--changed needs a git repository with a commit; name the base as --changed=BASE");
  const listed = [
    git("diff", "--name-only", "--diff-filter=d", from),
    git("ls-files", "--others", "--exclude-standard"),
  ];
  return listed.flatMap((lines) => (lines ?? "").split("\n")).filter((line) => line !== "");
}
