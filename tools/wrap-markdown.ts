import { readFileSync, writeFileSync } from "node:fs";

export const LINE_MAX = 120;

/** Code spans and links stay whole, because the checks read a document line by line. */
const TOKEN = /(?:(`+)(?!`).*?[^`]\1(?!`)|!?\[[^\]]*\]\([^)\s]*\)|\S)+/g;
const MARKER = /^(\s*(?:> ?)*)((?:[-*+]|\d+[.)]) +)?/;
/** At the start of a line these would begin a list, a heading, a quotation or a table. */
const STARTS_BLOCK = /^([-*+>|]|#{1,6}|\d+[.)])$/;
const FENCE = /^\s*(```+|~~~+)/;
const STANDS_ALONE = /^\s*($|\||#{1,6} |<|\[[^\]]+\]:|---+$)/;
/** Chinese has no blanks: a line may end after its punctuation. */
const CHINESE_BREAK = /(?<=[，。；：、！？）])(?=[^\s，。；：、！？）])/u;

/** Wraps the paragraphs and list items that have a line over 120 characters; tables and code stay as they are. */
export function wrapMarkdown(text: string): string {
  const wrapped: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    wrapped.push(...wrapBlock(block));
    block = [];
  };
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const isFence = mark !== undefined && (fence === undefined || mark.startsWith(fence));
    if (isFence || fence !== undefined || STANDS_ALONE.test(line)) {
      flush();
      wrapped.push(line);
      if (isFence) fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (MARKER.exec(line)?.[2] !== undefined) flush();
    block.push(line);
  }
  flush();
  return wrapped.join("\n");
}

/** True where a line is over the limit and could end earlier. */
export function isTooLong(line: string): boolean {
  return line.length > LINE_MAX && !STANDS_ALONE.test(line) && tokensOf(contentOf(line)).length > 1;
}

function wrapBlock(block: string[]): string[] {
  const [first = ""] = block;
  if (!block.some(isTooLong) || block.some((line) => /( {2}|\\)$/.test(line))) return block;
  const [prefix, quote = "", bullet = ""] = MARKER.exec(first) ?? ["", "", ""];
  const indent = quote + " ".repeat(bullet.length);
  const lines: string[] = [];
  let line = prefix;
  let isEmpty = true;
  for (const { text, gap } of tokensOf(block.map(contentOf).join("\n"))) {
    const room = LINE_MAX - line.length - gap.length;
    if (!isEmpty && text.length > room && !STARTS_BLOCK.test(text)) {
      lines.push(line);
      line = indent + text;
    } else line += (isEmpty ? "" : gap) + text;
    isEmpty = false;
  }
  return [...lines, line];
}

const contentOf = (line: string) => line.replace(MARKER, "").trim();

function tokensOf(content: string): { text: string; gap: string }[] {
  return [...content.matchAll(TOKEN)].flatMap((match) => {
    const isAfterChinese = /[，。；：、！？）]\n$/u.test(content.slice(0, match.index));
    return match[0]
      .split(CHINESE_BREAK)
      .map((text, at) => ({ text, gap: at > 0 || isAfterChinese ? "" : " " }));
  });
}

if (import.meta.main) {
  for (const file of process.argv.slice(2)) {
    const text = readFileSync(file, "utf8");
    const wrapped = wrapMarkdown(text);
    if (wrapped !== text) writeFileSync(file, wrapped);
  }
}
