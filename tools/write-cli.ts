import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  COMMANDS,
  EXIT_CODES,
  GLOBAL_OPTIONS,
  optionText,
  summaryOf,
  usageOf,
} from "../packages/cli/src/index.ts";
import type { Command } from "../packages/cli/src/index.ts";
import { linkSections } from "./section-links.ts";
import { wrapMarkdown } from "./wrap-markdown.ts";

const FILE = join(import.meta.dirname, "../docs/reference/cli.md");

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const table = (headings: string[], rows: string[][]) =>
  [row(...headings), `|${"---|".repeat(headings.length)}`, ...rows.map((cells) => row(...cells))].join("\n");

function section(command: Command): string {
  const { name, summary, about, arguments: wanted = [], options = [], examples } = command;
  const rows = [
    ...wanted.map((argument) => [`\`${argument.name}\``, summaryOf(argument)]),
    ...options.map((option) => [`\`${optionText(option)}\``, summaryOf(option)]),
  ];
  return [
    `## ${name}`,
    `${summary}.`,
    `\`\`\`\n${usageOf(command)}\n\`\`\``,
    ...about,
    ...(rows.length > 0 ? [table(["", ""], rows)] : []),
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
  ].join("\n\n");
}

const wanted = wrapMarkdown(
  linkSections(
    "docs/reference/cli.md",
    `# The command line

\`signalbox\` talks to a Signalbox service or to a receiver. Results go to standard output, everything else to standard error.

${table(
  ["everywhere", ""],
  GLOBAL_OPTIONS.map((option) => [`\`${optionText(option)}\``, option.summary]),
)}

${table(
  ["exit code", "means"],
  Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
)}

With \`--json\` a failure is \`{ "error": { "message", "code", "status", "request_id" } }\`; the exit codes are the same.

${COMMANDS.map(section).join("\n\n")}

Written by \`tools/write-cli.ts\` from \`packages/cli/src/commands\`: change the descriptions there and run \`npm run write-cli\`.
`,
  ),
);

if (process.argv.includes("--check")) {
  const present = await readFile(FILE, "utf8").catch(() => "");
  if (present !== wanted) {
    console.error("docs/reference/cli.md does not match packages/cli/src/commands; run: npm run write-cli");
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, wanted);
}
