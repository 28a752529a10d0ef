import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const ALL = ["packages/**/*.test.ts", "tools/**/*.test.ts", "tests/**/*.test.ts"];
const ONE_TEST_TIMEOUT_MS = 300_000;

/** `npm test -- tests/acceptance --test-name-pattern=order`: folders, files and globs narrow, options go to Node. */
const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith("-"));
const globs = given.filter((argument) => !argument.startsWith("-")).map(globOf);

function globOf(argument: string): string {
  const path = join(root, argument);
  return existsSync(path) && statSync(path).isDirectory() ? join(argument, "**/*.test.ts") : argument;
}

const globalSetup = "tests/support/global-setup.ts";
const runner = spawn(
  process.execPath,
  [
    "--test",
    "--import=./tests/support/end-of-file.ts",
    "--test-reporter=./tests/support/reporter.ts",
    "--test-reporter-destination=stdout",
    "--test-concurrency=2",
    `--test-timeout=${ONE_TEST_TIMEOUT_MS}`,
    ...(existsSync(join(root, globalSetup)) ? [`--test-global-setup=${globalSetup}`] : []),
    ...options,
    ...(globs.length > 0 ? globs : ALL),
  ],
  { cwd: root, stdio: "inherit" },
);

// Ctrl-C reaches the runner as well, which must live long enough to take its cluster down.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => runner.kill("SIGTERM"));

runner.on("exit", (code, signal) => {
  if (signal !== null) console.error(`the test runner was ended by ${signal}`);
  process.exitCode = code ?? 1;
});
