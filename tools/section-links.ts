import { globSync } from "node:fs";
import { join, posix } from "node:path";

const API = "docs/reference/api";

/** The page of each call of the specification, by its number. */
const PAGES: ReadonlyMap<string, string> = new Map(
  globSync("4.*.md", { cwd: join(import.meta.dirname, "..", API) }).map((name) => [
    name.slice(0, name.indexOf("-")),
    `${API}/${name}`,
  ]),
);

/** Documents whose mentions of a section are links. Decision records and the changelog stay as they were written. */
export const CITING_PAGES =
  /^(README[\w.-]*|docs\/(tutorial|how-to|explanation|reference)\/.+|packages\/.+|examples\/.+|deploy\/.+)\.md$/;

/** Programs, links, quotations and titles of tests: a number in them is no citation, or has its link. */
const NOT_PROSE = /`[^`]*`|\[[^\]]*\]\([^)]*\)|"[^"\n]*"|(?<!\w)\*[^*\n]+\*/g;
const CITED = /(?<![\d.,#v-])4\.(?:10|[1-9])(?![\d.]*\d|\w| ?%| (?:s|ms|[kMG]B|seconds|times|million)\b)/g;

/** Makes the first mention of each section of the specification a link to its page, where the text has none. */
export function linkSections(file: string, text: string): string {
  const folder = posix.dirname(file);
  const linked = new Set(
    [...text.matchAll(/\]\((?:[^\s)]*\/)?(4\.\d+)-[\w-]+\.md/g)].map(([, number = ""]) => number),
  );
  const own = /^4\.\d+(?=-)/.exec(posix.basename(file))?.[0];
  if (own !== undefined) linked.add(own);
  let isFenced = false;
  const lines = text.split("\n").map((line) => {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (isFenced || line.startsWith("#") || /^\s*```/.test(line)) return line;
    const kept = [...line.matchAll(NOT_PROSE)].map(
      ({ 0: part, index }) => [index, index + part.length] as const,
    );
    return line.replaceAll(CITED, (number, at: number) => {
      const page = PAGES.get(number);
      if (page === undefined || linked.has(number)) return number;
      if (kept.some(([from, to]) => at >= from && at < to)) return number;
      linked.add(number);
      return `[${number}](${posix.relative(folder, page)})`;
    });
  });
  return lines.join("\n");
}

type Citation = { line: number; text: string };

/** Mentions of a section without a link to its page, and of sections that the page of the specification does not have. */
export function checkSections(file: string, text: string, specification: string): Citation[] {
  if (!CITING_PAGES.test(file)) return [];
  const linked = linkSections(file, text).split("\n");
  const sections = new Set([...specification.matchAll(/^## (\d+(?:\.\d+)?) /gm)].map(([, number]) => number));
  return text.split("\n").flatMap((line, at) => {
    const wanted = [...(linked[at] ?? "").matchAll(/\[4\.\d+\]\([^)]+\)/g)].map(([link]) => link);
    const [missing] = wanted.filter((link) => !line.includes(link));
    const cited = [...line.matchAll(/\bsections? \[?(\d+(?:\.\d+)?)/gi)].map(([, number = ""]) => number);
    const unknown = cited.find((number) => !sections.has(number));
    return [
      ...(missing === undefined ? [] : [`the section has no link: write ${missing}`]),
      ...(unknown === undefined ? [] : [`the specification has no section ${unknown}: correct the number`]),
    ].map((complaint) => ({ line: at + 1, text: complaint }));
  });
}
