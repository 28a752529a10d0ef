import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { CAUSE_NAMES, FAILURES } from "../packages/contract/src/index.ts";
import { Environment } from "../packages/server/src/config.ts";
import { checkSections } from "./section-links.ts";
import { isTooLong, LINE_MAX } from "./wrap-markdown.ts";

export type Problem = { file: string; line: number; text: string };

/** What a document may name. */
export type Repository = {
  exists(path: string): boolean;
  matches(glob: string): boolean;
  read(path: string): string;
  scripts: ReadonlySet<string>;
  settings: ReadonlySet<string>;
};

const DOCUMENTS = [
  "*.md",
  "llms.txt",
  "{docs,bench,deploy,examples,skills,tests}/**/*.md",
  "packages/*/*.md",
];
const TOP_FOLDERS = ["packages", "tests", "tools", "docs", "bench", "deploy", "examples", "skills", ".ci"];

/** Which pages an index must link to. */
const INDEXES = {
  "docs/README.md": ["docs/*.md", "docs/{tutorial,how-to,reference,explanation,contributing}/*.md"],
  "docs/adr/README.md": ["docs/adr/*.md"],
};
const SPECIFICATION_PAGE = "docs/reference/specification.md";
const TITLES_PAGE = "docs/reference/spec-decisions.md";
const METRICS_PAGE = "docs/reference/metrics.md";
const METRICS_CODE = [
  "packages/server/src/platform/metrics.ts",
  "packages/server/src/platform/work-gauges.ts",
];

/** Names in capitals that are other people's settings or those of a developer's own programs, or values on the wire. */
const NOT_OUR_SETTINGS =
  /^((OTEL|RESTATE|PG|POSTGRES|NODE|NPM|DEBIAN|SIGNALBOX|DESK|BRIDGE|CHATWOOT|UND_ERR)_|(MIGRATION_)?DATABASE_PASSWORD$|ENGINE_IDENTITY_PRIVATE_KEY$)/;
const WIRE_VALUES = ["QA_TEXT", "QA_FILE", "FILE_2_QA", "USER_CLOSED"];

const PATH = new RegExp(
  `^(\\./)?(${TOP_FOLDERS.map((folder) => folder.replace(".", "\\.")).join("|")})/[^\\s()"'\`,;…]*$`,
);
const SETTING = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$/;
const ASSIGNED_SETTING = /(?:^|\s)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=/g;
const NPM_SCRIPT = /\bnpm (?:run (?:-s |--silent )?([\w:.-]+)|(test|start)\b)/g;

type Line = { number: number; raw: string; prose: string; spans: string[]; fenced: string | undefined };

function readLines(text: string): Line[] {
  let fence: string | undefined;
  return text.split("\n").map((line, index) => {
    const number = index + 1;
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      return { number, raw: line, prose: "", spans: [], fenced: undefined };
    }
    if (fence !== undefined) return { number, raw: line, prose: "", spans: [], fenced: line };
    const spans = [...line.matchAll(/(`+)(.+?)\1(?!`)/g)].map((span) => (span[2] ?? "").trim());
    const prose = line.replaceAll(/(`+)(.+?)\1(?!`)/g, "``");
    return { number, raw: line, prose, spans, fenced: undefined };
  });
}

/** Headings as the links to them are written: lower case, dashes for spaces, a number where a name repeats. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const { fenced, raw } of readLines(text)) {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(raw)?.[1];
    if (fenced !== undefined || heading === undefined) continue;
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Everything a document names that does not exist, and every line that is too long. */
export function checkDocument(file: string, text: string, repository: Repository): Problem[] {
  const problems: Problem[] = [];
  for (const { number, raw, prose, spans, fenced } of readLines(text)) {
    const complain = (complaint: string | undefined) => {
      if (complaint !== undefined) problems.push({ file, line: number, text: complaint });
    };
    if (fenced === undefined && file.endsWith(".md")) complain(refuseLength(raw));
    complain(refuseFunction(raw, repository));
    for (const target of linksIn(prose)) complain(refuseLink(file, text, target, repository));
    for (const span of spans) {
      for (const word of span.split(/\s+/)) complain(refusePath(word, repository));
      complain(refuseSetting(SETTING.exec(span)?.[1], repository));
    }
    for (const code of fenced === undefined ? spans : [fenced]) {
      for (const [, run, short] of code.matchAll(NPM_SCRIPT))
        complain(refuseScript(run ?? short ?? "", repository));
    }
    for (const [, name] of (fenced ?? "").matchAll(ASSIGNED_SETTING))
      complain(refuseSetting(name, repository));
  }
  return problems;
}

function refuseLength(line: string): string | undefined {
  return isTooLong(line)
    ? `the line has ${line.length} characters, ${LINE_MAX} at most: run node tools/wrap-markdown.ts on the file`
    : undefined;
}

function linksIn(prose: string): string[] {
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map(
    (link) => link[1] ?? "",
  );
  const defined = /^\s{0,3}\[[^\]]+\]:\s+<?([^\s>]+)/.exec(prose)?.[1];
  return defined === undefined ? inline : [...inline, defined];
}

function refuseLink(file: string, text: string, target: string, repository: Repository): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return undefined;
  if (target.startsWith("/")) return `the link ${target} starts at the root: write it relative to this file`;
  const [path = "", anchor] = target.split("#");
  const aim = path === "" ? file : posix.join(posix.dirname(file), decodeURIComponent(path));
  if (aim.startsWith("../")) return `the link ${target} leaves the repository`;
  if (!repository.exists(aim))
    return `the link ${target} leads to ${aim}, which does not exist: correct or remove it`;
  if (anchor === undefined || !aim.endsWith(".md")) return undefined;
  const anchors = anchorsOf(aim === file ? text : repository.read(aim));
  return anchors.has(anchor) ? undefined : `the link ${target} names a heading that ${aim} does not have`;
}

function refusePath(word: string, repository: Repository): string | undefined {
  const path = word.replace(/[.:]+$/, "").replace(/(:\d+)+$/, "");
  if (!PATH.test(path)) return undefined;
  const glob = path.replaceAll(/<[^>]*>|\{[A-Za-z_]+\}|NNNN(-[\w-]+)?/g, "*");
  const isThere = /[*{[]/.test(glob) ? repository.matches(glob) : repository.exists(glob);
  return isThere ? undefined : `${path} does not exist: correct the path or remove it`;
}

const FUNCTION_IN_FILE = /\|\s*`([a-z]\w+)`\s*\|\s*`([\w./-]+\.tsx?)`\s*\|/;

/** A row of a table that names a function and its file. */
function refuseFunction(row: string, repository: Repository): string | undefined {
  const [, name, path] = FUNCTION_IN_FILE.exec(row) ?? [];
  if (name === undefined || path === undefined || !repository.exists(path)) return undefined;
  return new RegExp(`\\bfunction\\*? ${name}\\b`).test(repository.read(path))
    ? undefined
    : `${path} has no function ${name}: name the one that does it now`;
}

function refuseScript(name: string, repository: Repository): string | undefined {
  return repository.scripts.has(name)
    ? undefined
    : `package.json has no script "${name}": correct the name or add the script`;
}

function refuseSetting(name: string | undefined, repository: Repository): string | undefined {
  if (name === undefined || repository.settings.has(name)) return undefined;
  if (NOT_OUR_SETTINGS.test(name) || WIRE_VALUES.includes(name)) return undefined;
  return `${name} is no setting of packages/server/src/config.ts: correct it, or list it in tools/check-docs.ts if it is not ours`;
}

/** Each code a caller can see has its page, and each page its code; so has each cause of a failed delivery. */
export function checkPages(
  folder: string,
  what: string,
  names: readonly string[],
  pages: readonly string[],
): Problem[] {
  const documented = pages.filter((page) => page !== "README.md");
  const missing = names.filter((name) => !documented.includes(`${name}.md`));
  const idle = documented.filter((page) => !names.some((name) => page === `${name}.md`));
  return [
    ...missing.map((name) => ({
      file: `${folder}/${name}.md`,
      line: 1,
      text: `${what} ${name} has no page: write what it means and what to do about it`,
    })),
    ...idle.map((page) => ({
      file: `${folder}/${page}`,
      line: 1,
      text: `there is no ${what} of this name: remove the page`,
    })),
  ];
}

/** A translation has the same headings, programs and links in the same order; the words are its own. */
export function checkTranslation(file: string, text: string, original: string): Problem[] {
  const [there, here] = [skeletonOf(original), skeletonOf(text)];
  const at = here.findIndex(({ part }, index) => part !== there[index]?.part);
  const differs = at === -1 && here.length < there.length ? here.length : at;
  if (differs === -1) return [];
  const wanted = there[differs]?.part ?? "nothing";
  return [
    {
      file,
      line: here[differs]?.line ?? 1,
      text: `the original has here: ${wanted}; translate what changed`,
    },
  ];
}

function skeletonOf(text: string): { part: string; line: number }[] {
  return readLines(text).flatMap(({ number, prose, fenced }) => {
    if (fenced !== undefined) return [{ part: fenced, line: number }];
    const level = /^#{1,6}(?= )/.exec(prose)?.[0];
    const parts = level === undefined ? linksIn(prose) : [level, ...linksIn(prose)];
    // Each names the other in its own language.
    return parts
      .filter((part) => !/^README(\.zh-CN)?\.md$/.test(part))
      .map((part) => ({ part, line: number }));
  });
}

/** An index links to every page it stands for, so that no page can be forgotten. */
export function checkIndex(index: string, text: string, pages: readonly string[]): Problem[] {
  const linked = readLines(text)
    .flatMap(({ prose }) => linksIn(prose))
    .map((target) => posix.join(posix.dirname(index), target.split("#")[0] ?? ""));
  return pages
    .filter((page) => page !== index && !linked.includes(page))
    .map((page) => ({ file: index, line: 1, text: `${page} is not listed: add a row that links to it` }));
}

/** A page that names tests, as `file`: *title*; *title*, names titles that the file has. */
export function checkTitles(file: string, page: string, repository: Repository): Problem[] {
  return page.split("\n").flatMap((line, index) =>
    [...line.matchAll(/`([^`]+\.test\.ts)`: ((?:\*[^*]+\*(?:; )?)+)/g)].flatMap(
      ([, path = "", titles = ""]) => {
        const code = repository.exists(path) ? repository.read(path) : "";
        return [...titles.matchAll(/\*([^*]+)\*/g)]
          .map(([, title = ""]) => title)
          .filter((title) => !code.includes(`"${title}"`) && !code.includes(`\`${title}\``))
          .map((title) => ({
            file,
            line: index + 1,
            text: `${path} has no test "${title}": name one that it has`,
          }));
      },
    ),
  );
}

/** The page of metrics lists each metric of the code once, and no other. */
export function checkMetrics(file: string, page: string, code: string): Problem[] {
  const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
  const listed = namesIn(page, /^\| `(signalbox_\w+)`/gm);
  const real = namesIn(code, /name: "(signalbox_\w+)"/g);
  const complain = (text: string) => ({ file, line: 1, text });
  return [
    ...real.filter((name) => !listed.includes(name)).map((name) => complain(`${name} is missing: add a row`)),
    ...listed
      .filter((name) => !real.includes(name))
      .map((name) => complain(`there is no metric ${name}: remove the row`)),
  ];
}

export function checkDecisionNames(names: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, string>();
  for (const name of names.filter((name) => name !== "README.md")) {
    const number = /^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.exec(name)?.[1];
    const complain = (text: string) => problems.push({ file: `docs/adr/${name}`, line: 1, text });
    if (number === undefined) complain("name it NNNN-what-was-decided.md, in lower case");
    else if (seen.has(number)) complain(`its number is taken by ${seen.get(number)}: take the next free one`);
    else seen.set(number, name);
  }
  return problems;
}

function checkRepository(root: string): { documents: string[]; problems: Problem[] } {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const files = (patterns: string[]) =>
    globSync(patterns, { cwd: root, exclude: (name) => name.includes("node_modules") }).toSorted();
  const repository: Repository = {
    exists: (path) => existsSync(join(root, path)),
    matches: (glob) => files([glob]).length > 0,
    read: (path) => readFileSync(join(root, path), "utf8"),
    scripts: new Set(Object.keys(manifest.scripts)),
    settings: new Set(Object.keys(Environment.shape)),
  };
  const namesIn = (folder: string) => files([`${folder}/*.md`]).map((path) => posix.basename(path));
  const documents = files(DOCUMENTS);
  const specification = repository.read(SPECIFICATION_PAGE);
  const problems = [
    ...documents.flatMap((file) => checkDocument(file, repository.read(file), repository)),
    ...documents.flatMap((file) =>
      checkSections(file, repository.read(file), specification).map((found) => ({ file, ...found })),
    ),
    ...checkPages(
      "docs/reference/errors",
      "failure",
      Object.values(FAILURES).map(({ code }) => String(code)),
      namesIn("docs/reference/errors"),
    ),
    ...checkPages(
      "docs/reference/errors/causes",
      "cause",
      CAUSE_NAMES,
      namesIn("docs/reference/errors/causes"),
    ),
    ...checkDecisionNames(namesIn("docs/adr")),
    ...Object.entries(INDEXES).flatMap(([index, patterns]) =>
      checkIndex(index, repository.read(index), files(patterns)),
    ),
    ...checkTitles(TITLES_PAGE, repository.read(TITLES_PAGE), repository),
    ...checkMetrics(
      METRICS_PAGE,
      repository.read(METRICS_PAGE),
      METRICS_CODE.map((path) => repository.read(path)).join("\n"),
    ),
    ...checkTranslation("README.zh-CN.md", repository.read("README.zh-CN.md"), repository.read("README.md")),
  ];
  return { documents, problems };
}

if (import.meta.main) {
  const { documents, problems } = checkRepository(dirname(import.meta.dirname));
  for (const { file, line, text } of problems) console.error(`${file}:${line}: ${text}`);
  console.log(`${documents.length} documents, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
