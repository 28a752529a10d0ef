import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = "tools/specification/clauses.txt";
const PAGE = "docs/reference/specification.md";
const DECISIONS = "docs/reference/spec-decisions.md";
const TESTS = "{tests,packages}/**/*.test.ts";

const BEFORE = `# The specification

Signalbox implements an interface for conversational agents: ten endpoints and webhooks, numbered 4.1 to 4.10. They
store an agent's questions and answers, test its webhooks, deliver its messages and hand conversations to people. The
interface was taken from a public API, that of GPTBots, so that a client written for it needs few changes:
[come from GPTBots](../how-to/come-from-gptbots.md).

The text that was implemented is not published. This page says the same in our words: each of its clauses, the page that
documents it, what was decided where it is silent, and the tests that fail when the service behaves differently.
Everything else, such as accounts, the console and the live channel, is our own.

| section | call | direction |
|---|---|---|
| 4.1 | [Add QA documents](api/4.1-add-qa.md) | you to Signalbox |
| 4.2 | [Replace QA documents](api/4.2-update-qa.md) | you to Signalbox |
| 4.3 | [Check webhooks](api/4.3-check-webhooks.md) | you to Signalbox |
| 4.4 | [Health](api/4.4-service-health.md) | anybody to Signalbox |
| 4.5 | [Deliver a message](api/4.5-deliver-message.md) | Signalbox to your webhook |
| 4.6 | [Request a handoff](api/4.6-establish-handoff.md) | Signalbox to your desk |
| 4.7 | [Send the user's message](api/4.7-send-handoff-chat.md) | Signalbox to your desk |
| 4.8 | [Close a handoff](api/4.8-close-handoff.md) | Signalbox to your desk |
| 4.9 | [Reply as a human](api/4.9-receive-human-message.md) | your desk to Signalbox |
| 4.10 | [Close as a human](api/4.10-close-by-human.md) | your desk to Signalbox |

Section numbers anywhere in this documentation are the headings below. A client that knows only these clauses, and none
of our headers, is played by \`tests/acceptance/specification-only.test.ts\`.
`;
const AFTER = `
Written by \`tools/write-specification.ts\` from the titles of the tests and \`${SOURCE}\`.
Change the clauses there and run \`npm run write-specification\`.
`;

export type Clause = { text: string; page: string; tests: string[]; decided: string[] };
export type Section = { number: string; title: string; clauses: Clause[] };

/** Sections with their clauses, as the file lists them. */
export function readClauses(text: string): Section[] {
  const sections: Section[] = [];
  let page = "";
  for (const line of text.split("\n")) {
    const [, number, title = "", headingsPage = ""] = /^## (\S+) (.+) @ (\S+)$/.exec(line) ?? [];
    const section = sections.at(-1);
    const clause = section?.clauses.at(-1);
    if (number !== undefined) {
      sections.push({ number, title, clauses: [] });
      page = headingsPage;
    } else if (/^ {2}@ /.test(line) && clause !== undefined) clause.page = line.slice(4);
    else if (/^ {2}decided: /.test(line)) clause?.decided.push(line.slice("  decided: ".length));
    else if (line.startsWith("  ")) clause?.tests.push(line.slice(2));
    else if (line !== "" && !line.startsWith("#"))
      section?.clauses.push({ text: line, page, tests: [], decided: [] });
  }
  return sections;
}

/** The titles in the code of a test. */
export function titlesOf(code: string): string[] {
  return [...code.matchAll(/\bit\(\s*(["`])(.+?)\1,/g)].map(([, , title = ""]) => title);
}

type Titles = ReadonlyMap<string, readonly string[]>;

/** The one test that "file: beginning of the title" means. */
function findTest(reference: string, titles: Titles): { file: string; title: string } {
  const [, name = "", beginning = ""] = /^(\S+): (.+)$/.exec(reference) ?? [];
  const found = [...titles].flatMap(([file, itsTitles]) =>
    basename(file) === `${name}.test.ts`
      ? itsTitles.filter((title) => title.startsWith(beginning)).map((title) => ({ file, title }))
      : [],
  );
  const [test, another] = found;
  if (test === undefined) throw new Error(`${SOURCE}: no test is "${reference}"`);
  if (another !== undefined) throw new Error(`${SOURCE}: "${reference}" is more than one test`);
  return test;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
const testsIn = (tests: { file: string; title: string }[]) =>
  [...Map.groupBy(tests, ({ file }) => file)]
    .map(([file, own]) => {
      const titles = own.map(({ title }) => `*${cell(title)}*`).join("; ");
      return `[${basename(file, ".test.ts")}](../../${file}): ${titles}`;
    })
    .join("<br>");

/** The whole page. Throws at a test, a decision or a page that is not there. */
export function writePage(sections: Section[], titles: Titles, decisions: string): string {
  let count = 0;
  const points = decisions.split("\n").map((line) => line.split(" | ")[1]);
  const parts = sections.map((section) => {
    const rows = section.clauses.map(({ text, page, tests, decided }) => {
      count += 1;
      const missing = decided.find((point) => !points.includes(point));
      if (missing !== undefined) throw new Error(`${DECISIONS} has no row "${missing}"`);
      if (tests.length === 0) throw new Error(`${SOURCE}: no test is named for "${text}"`);
      const decision = decided.map((point) => `[${point}](spec-decisions.md)`).join("<br>");
      const name = basename(page, ".md").replace(/^README$/, "index");
      const found = testsIn(tests.map((test) => findTest(test, titles)));
      return `| ${count} | ${cell(text)} | [${name}](${page}) | ${cell(decision)} | ${found} |`;
    });
    return [
      `## ${section.number} ${section.title}`,
      "",
      "| | clause | page | decided | tests |",
      "|---|---|---|---|---|",
      ...rows,
      "",
    ].join("\n");
  });
  const total = `\nThere are ${count} clauses. Each has a test.\n\n`;
  return `${BEFORE}${total}${parts.join("\n")}${AFTER}`;
}

function draft(): string {
  const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
  const files = globSync(TESTS, { cwd: ROOT, exclude: (name) => name.includes("node_modules") }).toSorted();
  const titles = new Map(files.map((file) => [file, titlesOf(read(file))]));
  return writePage(readClauses(read(SOURCE)), titles, read(DECISIONS));
}

if (import.meta.main) {
  const wanted = draft();
  if (!process.argv.includes("--check")) writeFileSync(join(ROOT, PAGE), wanted);
  else if (readFileSync(join(ROOT, PAGE), "utf8") !== wanted) {
    console.error(`${PAGE} does not match the tests and ${SOURCE}; run: npm run write-specification`);
    process.exitCode = 1;
  }
}
