import { joinLines, type Block } from "./block.ts";
import { endsWithQuestionMark } from "./question.ts";

/** A line as it stands on its page; y grows upwards. */
export interface PageLine {
  page: number;
  text: string;
  x: number;
  y: number;
  size: number;
  font: string;
}

const LEADERS = /(?:\.\s?){3}\.\s*\d{0,4}$|……\s*\d{0,4}$/;
const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s+\S/;
const ITEM = /^(?:[•·◦▪–—*-]|\d{1,3}[.)])\s+/;
const LARGER = 1.08;
const HEADING_CHARACTERS_MAX = 300;

/** Blocks of a printed document: titles are larger than the text or set in another font, paragraphs part at gaps. */
export function layOutPages(lines: PageLine[]): Block[] {
  const kept = withoutRunningTitles(lines).filter(({ text }) => text !== "" && !LEADERS.test(text));
  const body = bodyStyle(kept);
  const levels = headingLevels(kept, body.size);
  const words = new Set(kept.flatMap(({ text }) => text.toLowerCase().split(/[^\p{L}\p{N}-]+/u)));
  const blocks: Block[] = [];
  let group: PageLine[] = [];
  let level: number | undefined;

  const flush = () => {
    const first = group[0];
    if (first === undefined) return;
    const text = joinHyphenated(
      group.map((line) => line.text),
      words,
    );
    group = [];
    const numbered = NUMBERED.exec(text)?.[1];
    if (level !== undefined && text.length <= HEADING_CHARACTERS_MAX) {
      const depth = numbered === undefined ? level : numbered.split(".").length;
      blocks.push({ kind: "heading", level: depth, text, page: first.page });
    } else {
      blocks.push({ kind: ITEM.test(text) ? "list" : "paragraph", text, page: first.page });
    }
  };

  for (const line of kept) {
    const nextLevel = levels.get(line.size) ?? (isTitleInText(line, body) ? 6 : undefined);
    const last = group.at(-1);
    if (last === undefined || nextLevel !== level || startsAnew(last, line, nextLevel !== undefined)) {
      flush();
      level = nextLevel;
    }
    group.push(line);
  }
  flush();
  return blocks;
}

function startsAnew(last: PageLine, line: PageLine, isHeading: boolean): boolean {
  if (ITEM.test(line.text) && !isHeading) return true;
  if (last.size !== line.size) return true;
  if (isHeading && NUMBERED.test(line.text)) return true;
  if (last.page !== line.page) return isHeading || /[.!?。！？:：]$/.test(last.text);
  const gap = last.y - line.y;
  return gap < 0 || gap > line.size * (isHeading ? 1.9 : 1.55);
}

interface BodyStyle {
  size: number;
  font: string;
}

function bodyStyle(lines: PageLine[]): BodyStyle {
  const characters = new Map<string, { style: BodyStyle; count: number }>();
  for (const { size, font, text } of lines) {
    const key = `${size} ${font}`;
    const known = characters.get(key) ?? { style: { size, font }, count: 0 };
    known.count += text.length;
    characters.set(key, known);
  }
  const counts = [...characters.values()];
  return counts.reduce((one, other) => (other.count > one.count ? other : one), {
    style: { size: 10, font: "" },
    count: 0,
  }).style;
}

/** The largest size is level 1; sizes that differ by less than a point are one. */
function headingLevels(lines: PageLine[], bodySize: number): Map<number, number> {
  const sizes = [...new Set(lines.map(({ size }) => size))].filter((size) => size > bodySize * LARGER);
  const levels = new Map<number, number>();
  let level = 0;
  let last = Number.POSITIVE_INFINITY;
  for (const size of sizes.toSorted((one, other) => other - one)) {
    if (last - size >= 1) level += 1;
    levels.set(size, Math.min(6, Math.max(1, level)));
    last = size;
  }
  return levels;
}

/** A title as large as the text: another font, and it is numbered or asks. */
function isTitleInText({ text, size, font }: PageLine, body: BodyStyle): boolean {
  if (font === body.font || size < body.size || text.length > HEADING_CHARACTERS_MAX) return false;
  const number = NUMBERED.exec(text)?.[1];
  return (number?.includes(".") ?? false) || endsWithQuestionMark(text);
}

/** Page numbers and running titles stand at one height on many pages, apart from the text. */
function withoutRunningTitles(lines: PageLine[]): PageLine[] {
  const pages = Map.groupBy(lines, ({ page }) => page);
  if (pages.size < 3) return lines;
  const edges = [...pages.values()].flatMap((page) => {
    const sorted = page.toSorted((one, other) => other.y - one.y);
    const isApart = (one: PageLine | undefined, other: PageLine | undefined) =>
      one !== undefined &&
      (other === undefined || Math.abs(one.y - other.y) > Math.max(one.size, other.size) * 1.7);
    return [
      ...(isApart(
        sorted[0],
        sorted.find(({ y }) => y < sorted[0]!.y - 1),
      )
        ? [sorted[0]!]
        : []),
      ...(isApart(
        sorted.at(-1),
        sorted.findLast(({ y }) => y > sorted.at(-1)!.y + 1),
      )
        ? [sorted.at(-1)!]
        : []),
    ];
  });
  const byHeight = Map.groupBy(edges, ({ y }) => Math.round(y));
  const heights = new Set(
    [...byHeight]
      .filter(([, found]) => found.length >= Math.max(3, pages.size * 0.2))
      .map(([height]) => height),
  );
  return lines.filter(({ y }) => !heights.has(Math.round(y)));
}

/** A word broken at a line's end is mended, unless the document itself writes it with its hyphen. */
function joinHyphenated(lines: string[], words: Set<string>): string {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    const broken = /(?<!\p{L})(\p{L}{2,})[-\u00ad]$/u.exec(last ?? "")?.[1];
    const rest = /^(\p{Ll}+)/u.exec(line)?.[1];
    if (last !== undefined && broken !== undefined && rest !== undefined) {
      const isHyphenated =
        words.has(`${broken}-${rest}`.toLowerCase()) && !words.has((broken + rest).toLowerCase());
      joined[joined.length - 1] = (isHyphenated ? last : last.slice(0, -1)) + line;
    } else joined.push(line);
  }
  return joinLines(joined);
}
