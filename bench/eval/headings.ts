import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertChunk, extractFile, INTAKE_LIMITS } from "../../packages/server/src/knowledge/index.ts";
import { docxOf, type Paragraph } from "@signalbox/tests/support/office-files.ts";

/** How many titles of a document come out as questions, and how many questions that come out are titles. */
export interface HeadingFigures {
  format: "html" | "md" | "docx" | "txt" | "pdf";
  language: string;
  titles: number;
  recall: number;
  precision: number;
}

const LANGUAGES = ["en", "de", "fr", "ru", "ja", "zh-cn"];

/** The package carries stubs of one page in their place. */
const WITHOUT_PDF = ["ja", "zh-cn"];

/**
 * The Debian FAQ in six languages and five formats, converted without a model. Its HTML, text and PDF are as Debian
 * ships them; Markdown and Word are made from the HTML here, since it comes in neither.
 */
export async function evaluateHeadings(dataDirectory: string): Promise<HeadingFigures[]> {
  const work = await mkdtemp(join(tmpdir(), "headings-"));
  const figures: HeadingFigures[] = [];
  try {
    for (const language of LANGUAGES) {
      const folder = join(dataDirectory, "debian-faq", language);
      const pages = await readPages(folder);
      const parts = pages.flatMap(partsOf);
      const files: [HeadingFigures["format"], string | Buffer][] = [
        ["html", pages.join("\n")],
        ["md", markdownOf(parts)],
        ["docx", docxOf(parts)],
        ["txt", await readFile(join(folder, `debian-faq.${language}.txt`))],
      ];
      if (!WITHOUT_PDF.includes(language))
        files.push(["pdf", await readFile(join(folder, `debian-faq.${language}.pdf`))]);
      const titles = new Set(
        parts.filter(({ heading }) => heading !== undefined && heading > 1).map(({ text }) => fold(text)),
      );
      const chapters = new Set(parts.filter(({ heading }) => heading === 1).map(({ text }) => fold(text)));
      for (const [format, content] of files) {
        const path = join(work, `faq.${format}`);
        await writeFile(path, content);
        const asked = await questionsOf(path, content.length);
        const found = [...titles].filter((title) => asked.has(title));
        const right = [...asked].filter((question) => titles.has(question) || chapters.has(question));
        figures.push({
          format,
          language,
          titles: titles.size,
          recall: found.length / titles.size,
          precision: right.length / asked.size,
        });
      }
    }
  } finally {
    await rm(work, { recursive: true });
  }
  return figures;
}

/** What the service would ask: titles that ask by themselves, and those at the end of a path. */
async function questionsOf(path: string, sizeBytes: number): Promise<Set<string>> {
  const outcome = await extractFile(
    { path, fileName: path, sizeBytes, contentType: undefined },
    { splitter: undefined, chunkToken: 600, limits: INTAKE_LIMITS },
  );
  if (outcome.kind === "failed") throw new Error(`${path}: ${outcome.detail}`);
  const questions = new Set(outcome.pairs.map(({ question }) => fold(question)));
  for (const chunk of outcome.chunks) {
    const { pairs } = await convertChunk(undefined, chunk);
    for (const { origin } of pairs)
      if (origin === "heading") questions.add(fold(chunk.headingPath.at(-1) ?? ""));
  }
  return questions;
}

/** Letters and digits of a title without its number: formats differ in quotes, dashes and blanks. */
function fold(title: string): string {
  return title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^\s*(?:\d+\.)*\d*\.?\s+/, "")
    .replaceAll(/[^\p{Lu}\p{Ll}\p{Lo}\p{N}]+/gu, "");
}

async function readPages(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html") && !name.startsWith("index"));
  return Promise.all(names.toSorted().map((name) => readFile(join(folder, name), "utf8")));
}

/** Titles and paragraphs of a page, by another way than the service reads it. */
function partsOf(page: string): Paragraph[] {
  const body = page
    .slice(page.indexOf('<div class="titlepage">'))
    .replaceAll(/<div class="toc">[\s\S]*?<\/dl><\/div>/g, "")
    .replace(/<div class="navfooter">[\s\S]*/, "");
  return [...body.matchAll(/<(h[1-4]|p|pre)(?:\s[^>]*)?>([\s\S]*?)<\/\1>/g)].flatMap(
    ([, name = "", inner = ""]) => {
      const text = plainText(inner);
      if (text === "") return [];
      const level = /^h([1-4])$/.exec(name)?.[1];
      return [level === undefined ? { text } : { text, heading: Number(level) as 1 | 2 | 3 | 4 }];
    },
  );
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/&([a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();
}

function markdownOf(parts: Paragraph[]): string {
  return parts
    .map(({ heading, text }) =>
      heading === undefined ? text : `${"#".repeat(heading)} ${text.replaceAll(/([*_`[\]])/g, "\\$1")}`,
    )
    .join("\n\n");
}

/** Mean recall of each format over its languages, by the names the figures are published under. */
export function summariseHeadings(figures: HeadingFigures[]): Record<string, number> {
  const formats = Map.groupBy(figures, ({ format }) => format);
  return Object.fromEntries(
    [...formats].map(([format, each]) => [
      `headings_${format}`,
      each.reduce((sum, { recall }) => sum + recall, 0) / each.length,
    ]),
  );
}
