import { joinLines, type Block } from "./block.ts";
import { isContentsTitle, isQuestion, withoutNumber } from "./question.ts";

const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?[ \t\u3000]+(?=\S)/;
const CHAPTER =
  /^(?:chapter|kapitel|chapitre|capítulo|capitolo|глава|rozdział|hoofdstuk|bölüm|part|teil|appendix|第\s*[\d一二三四五六七八九十百]{1,4}\s*[章节部編编])(?:[\s.:：]|$)/iu;
const UNDERLINE = /^\s{0,3}([=\-~^*])\1{2,}\s*$/;
const RULE = /^\s*([-=_*~])(?:\s*\1){2,}\s*$/;
const ITEM = /^\s*(?:[-*+•·◦–]|\d{1,3}[.)]|[a-z][.)])\s+/i;
const HEADING_CHARACTERS_MAX = 300;
const HEADING_LINES_MAX = 5;

interface Paragraph {
  lines: string[];
  line: number;
  indent: number;
}

/** Plain text: paragraphs part at blank lines, and a title is known by its number, its underline, its case or its place. */
export function readPlainText(source: string): Block[] {
  const paragraphs = paragraphsOf(source);
  return paragraphs.flatMap((paragraph, index) => {
    if (isContents(paragraph, paragraphs[index - 1])) return [];
    const level = headingLevel(paragraph, paragraphs[index + 1]);
    if (level === undefined) return [textBlock(paragraph)];
    const { title, rest } =
      level.kind === "first_line" ? splitFirstLine(paragraph) : { title: paragraph.lines, rest: [] };
    const heading: Block = {
      kind: "heading",
      level: level.level,
      text: joinLines(title),
      line: paragraph.line,
    };
    if (rest.length === 0) return [heading];
    return [heading, textBlock({ ...paragraph, lines: rest, line: paragraph.line + title.length })];
  });
}

function paragraphsOf(source: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let current: Paragraph | undefined;
  const lines = source.replace(/[\u00a0\u2007\u202f]/g, " ").split(/\r\n|[\n\r\f]/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || (current === undefined && RULE.test(line))) {
      current = undefined;
      continue;
    }
    const indent = line.length - line.trimStart().length;
    if (current === undefined) {
      current = { lines: [], line: index + 1, indent };
      paragraphs.push(current);
    }
    current.lines.push(line);
    current.indent = Math.min(current.indent, indent);
  }
  return paragraphs;
}

/** A list of the titles that follow says nothing of its own. */
function isContents({ lines }: Paragraph, before: Paragraph | undefined): boolean {
  if (before === undefined || !isContentsTitle(joinLines(before.lines.slice(0, 2)))) return false;
  return lines.filter((line) => NUMBERED.test(line.trimStart())).length >= Math.min(3, lines.length);
}

type Found = { kind: "whole" | "first_line"; level: number } | undefined;

function headingLevel(paragraph: Paragraph, next: Paragraph | undefined): Found {
  const { lines } = paragraph;
  const first = lines[0]!;
  if (lines.length >= 2 && UNDERLINE.test(lines[1]!) && first.trim().length <= 120)
    return { kind: "first_line", level: lines[1]!.trim().startsWith("=") ? 1 : 2 };
  if (/^#{1,6}\s/.test(first)) return { kind: "first_line", level: /^#+/.exec(first)![0].length };
  if (lines.length > HEADING_LINES_MAX) return undefined;
  const text = joinLines(lines);
  if (text.length > HEADING_CHARACTERS_MAX) return undefined;
  if (CHAPTER.test(text) && lines.length <= 2) return { kind: "whole", level: 1 };
  const number = NUMBERED.exec(first.trimStart())?.[1];
  if (number !== undefined) return numberedLevel(paragraph, number, text, next);
  if (next === undefined || paragraph.indent > 0 || ITEM.test(first)) return undefined;
  if (lines.length === 1 && isQuestion(text) && /[?？؟]/.test(text)) return { kind: "whole", level: 6 };
  const isShout = lines.length === 1 && text.length <= 80 && /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text);
  if (isShout) return { kind: "whole", level: 3 };
  // A short line without a full stop, above text that is set in under it.
  const isOverIndented = next.indent > paragraph.indent && lines.length === 1 && text.length <= 80;
  return isOverIndented && !/[.,;:!。，；：]$/.test(text) ? { kind: "whole", level: 4 } : undefined;
}

/** A table of contents lists many numbers in one paragraph; a list has its numbers one after another, with full stops. */
function numberedLevel(
  paragraph: Paragraph,
  number: string,
  text: string,
  next: Paragraph | undefined,
): Found {
  const { lines } = paragraph;
  if (paragraph.indent > 3) return undefined;
  const depth = number.split(".").length;
  if (lines.slice(1).some((line) => NUMBERED.test(line.trimStart()))) return undefined;
  if (depth >= 2) return next === undefined ? undefined : { kind: "whole", level: depth };
  const title = withoutNumber(text);
  if (next === undefined || NUMBERED.test(next.lines[0]!.trimStart())) return undefined;
  if (isQuestion(title)) return { kind: "whole", level: 2 };
  return lines.length === 1 && title.length <= 80 && !/[.,;:!。，；：]$/.test(title)
    ? { kind: "whole", level: 1 }
    : undefined;
}

function splitFirstLine({ lines }: Paragraph): { title: string[]; rest: string[] } {
  const isUnderlined = lines[1] !== undefined && UNDERLINE.test(lines[1]);
  return { title: [lines[0]!.replace(/^#{1,6}\s+/, "")], rest: lines.slice(isUnderlined ? 2 : 1) };
}

const WRAP_CHARACTERS_MIN = 40;

/** Lines broken at a margin are joined; lists, tables and short lines keep their ends. */
function textBlock({ lines, line, indent }: Paragraph): Block {
  const isList = ITEM.test(lines[0]!);
  if (isList) return { kind: "list", text: joinItems(lines), line };
  const isWrapped =
    lines.length > 1 &&
    lines
      .slice(0, -1)
      .every((each) => widthOf(each.trim()) >= WRAP_CHARACTERS_MIN && !/\s{3}\S/.test(each.trim()));
  if (isWrapped) return { kind: "paragraph", text: joinLines(lines), line };
  return { kind: "paragraph", text: lines.map((each) => each.slice(indent).trimEnd()).join("\n"), line };
}

function joinItems(lines: string[]): string {
  const items: string[][] = [];
  for (const line of lines) {
    if (ITEM.test(line) || items.length === 0) items.push([line]);
    else items.at(-1)!.push(line);
  }
  return items.map(joinLines).join("\n");
}

/** A character of these scripts is as wide as two others. */
function widthOf(line: string): number {
  let width = 0;
  for (const character of line) width += character > "\u2e7f" ? 2 : 1;
  return width;
}
