import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const root = dirname(import.meta.dirname);

type Check = {
  name: string;
  command: string;
  argv: string[];
  onFailure?: string;
  /** Left out of `npm run verify`, which needs nothing but `npm ci`. */
  needsDatabase?: true;
};
type Result = {
  name: string;
  isGood: boolean;
  seconds: string;
  output: string;
  onFailure: string | undefined;
};

const CHECKS: Check[] = [
  { name: "types", command: "tsc", argv: ["--pretty", "false"] },
  // What runs in a browser knows nothing of Node.
  { name: "types of the widget", command: "tsc", argv: ["-p", "packages/widget", "--pretty", "false"] },
  { name: "types of the console", command: "tsc", argv: ["-p", "packages/console", "--pretty", "false"] },
  { name: "lint", command: "oxlint", argv: [] },
  { name: "format", command: "oxfmt", argv: ["--check"], onFailure: "oxfmt, without --check, puts it right" },
  { name: "unused code and dependencies", command: "knip", argv: ["--no-progress", "--no-config-hints"] },
  { name: "openapi", command: process.execPath, argv: ["tools/write-openapi.ts", "--check"] },
  { name: "asyncapi", command: process.execPath, argv: ["tools/write-asyncapi.ts", "--check"] },
  { name: "sdk", command: process.execPath, argv: ["tools/write-sdk.ts", "--check"] },
  {
    name: "configuration",
    command: process.execPath,
    argv: ["tools/write-configuration.ts", "--check"],
  },
  {
    name: "script tag of the widget",
    command: process.execPath,
    argv: ["tools/write-widget-tag.ts", "--check"],
  },
  { name: "log events", command: process.execPath, argv: ["tools/write-logs.ts", "--check"] },
  { name: "command line", command: process.execPath, argv: ["tools/write-cli.ts", "--check"] },
  { name: "specification", command: process.execPath, argv: ["tools/write-specification.ts", "--check"] },
  { name: "reference", command: process.execPath, argv: ["tools/write-reference.ts", "--check"] },
  {
    name: "tables and rights",
    command: process.execPath,
    argv: ["tools/write-tables.ts", "--check"],
    needsDatabase: true,
  },
  { name: "regular expressions", command: process.execPath, argv: ["tools/check-regexes.ts"] },
  { name: "circles of imports", command: process.execPath, argv: ["tools/check-circles.ts"] },
  { name: "migrations", command: process.execPath, argv: ["tools/check-migrations.ts"] },
  { name: "documents", command: process.execPath, argv: ["tools/check-docs.ts"] },
  { name: "words", command: process.execPath, argv: ["tools/check-words.ts"] },
];

/** For this branch alone, on the machine where they can still be changed: commits on main are history. */
const COMMIT_MESSAGES: Check = {
  name: "commit messages",
  command: process.execPath,
  argv: ["tools/check-commits.ts"],
  onFailure: "git commit --amend or git rebase --interactive changes them",
};
if (process.env["CI"] !== "true") CHECKS.push(COMMIT_MESSAGES);

/** What `npm run verify` adds: `npm test` runs these with all the others. */
const PURE_TESTS: Check = {
  name: "pure tests",
  command: process.execPath,
  argv: ["tools/test.ts", "--pure"],
};

// Started by another Node, the linter cannot load rules written in TypeScript and says so in riddles.
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(`Node 24 is needed and this is ${process.version}: run it as "npm run check" after "npm ci"`);
  process.exit(1);
}

function run({ name, command, argv, onFailure }: Check): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const startedAt = performance.now();
  const output: string[] = [];
  const end = (isGood: boolean) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    resolve({ name, isGood, seconds, output: stripVTControlCharacters(output.join("")).trim(), onFailure });
  };
  const PATH = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const child = spawn(command, argv, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => output.push(text));
  child.on("error", (error) => {
    output.push(`${command} could not be started: ${error.message}\n`);
    end(false);
  });
  child.on("close", (code) => end(code === 0));
  return promise;
}

function print({ name, isGood, seconds, output, onFailure }: Result): void {
  console.log(`${isGood ? "✔" : "✖"} ${name}  ${seconds} s`);
  if (isGood) return;
  const lines = output.split("\n").filter((line) => !line.startsWith("✔"));
  console.log(`\n${lines.map((line) => `    ${line}`.trimEnd()).join("\n")}\n`);
  if (onFailure !== undefined) console.log(`    ${onFailure}\n`);
}

const isVerify = process.argv.includes("--verify");
const checks = isVerify
  ? [PURE_TESTS, ...CHECKS.filter(({ needsDatabase }) => needsDatabase === undefined)]
  : CHECKS;
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const waiting = checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const failed: string[] = [];

async function work(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const result = await run(check);
    print(result);
    if (!result.isGood) failed.push(result.name);
  }
}

if (waiting.length === 0) failed.push(`there is no check named ${wanted.join(", ")}`);
await Promise.all(Array.from({ length: availableParallelism() }, work));
const name = isVerify ? "verify" : "check";
if (failed.length > 0) {
  console.error(`\n${name} failed: ${failed.join(", ")}`);
  process.exitCode = 1;
} else {
  console.log(`\n${name} passed in ${(performance.now() / 1000).toFixed(0)} s`);
}
