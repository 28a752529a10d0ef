import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOG_EVENTS } from "../packages/server/src/platform/index.ts";
import { git } from "./git.ts";

const FILE = join(import.meta.dirname, "../docs/reference/logs.md");
const LIST = "packages/server/src/platform/log-events.ts";

const BEFORE = `# Log events

The service logs one JSON object per line to standard output. Every line has these fields:

| Field | What it holds |
|---|---|
| \`time\` | ISO 8601, UTC |
| \`level\` | \`debug\`, \`info\`, \`warn\` or \`error\`; \`LOG_LEVEL\` sets the minimum |
| \`role\` | \`api\`, \`worker\`, \`all\` or \`reseal\` |
| \`event\` | the stable name of the event: search and alert on it |
| \`msg\` | a fixed text for people |

An error is in \`err\`, with its \`type\`, \`code\`, \`message\` and \`stack\`. Secrets and message texts are never logged.

| Event | Level | When, and what to do | Fields |
|---|---|---|---|
`;

const AFTER = `
Written by \`tools/write-logs.ts\` from \`${LIST}\`. Change the list there and run
\`npm run write-logs\`.
`;

const rows = Object.entries(LOG_EVENTS).map(([name, { levels, about, fields }]) => {
  const code = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(", ");
  return `| \`${name}\` | ${code(levels)} | ${about.replaceAll("|", "\\|")} | ${code(fields)} |`;
});
const wanted = `${BEFORE}${rows.join("\n")}\n${AFTER}`;

/** Listed and never logged: a row that would lead an operator astray. */
async function unusedEvents(): Promise<string[]> {
  const files = (git("ls-files", "packages/server/src") ?? "")
    .split("\n")
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== LIST);
  const root = join(import.meta.dirname, "..");
  const sources = await Promise.all(files.map((file) => readFile(join(root, file), "utf8").catch(() => "")));
  return Object.keys(LOG_EVENTS).filter((name) => !sources.some((text) => text.includes(`"${name}"`)));
}

if (process.argv.includes("--check")) {
  const present = await readFile(FILE, "utf8").catch(() => "");
  if (present !== wanted)
    console.error(`docs/reference/logs.md does not match ${LIST}; run: npm run write-logs`);
  const unused = git("rev-parse", "HEAD") === undefined ? [] : await unusedEvents();
  for (const name of unused) console.error(`${name} is listed in ${LIST} and logged nowhere: remove it`);
  if (present !== wanted || unused.length > 0) process.exitCode = 1;
} else {
  await writeFile(FILE, wanted);
}
