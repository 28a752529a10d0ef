import { collapseBlanks, joinLines, type Block } from "./block.ts";

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const TABLE_ROW = /^\s*\|/;
const SUMMARY = /^\s*(?:<details[^>]*>\s*)?<summary[^>]*>(.*)<\/summary>([^]*)$/i;
const DETAILS = /^\s*<\/?details[^>]*>\s*$/i;

/**
 * The blocks of a Markdown file, each as it was written. Only what parts blocks is read, line by line: a full parser
 * took 35 s for 50,000 quote marks, and nothing within a paragraph matters here.
 */
export function readMarkdown(source: string): Block[] {
  const lines = source.split(/\r\n|\n|\r/);
  const blocks: Block[] = [];
  let pending: { lines: string[]; from: number } | undefined;
  let fence: { mark: string; lines: string[]; from: number } | undefined;
  let summary: { question: string; from: number } | undefined;

  let start = 0;
  if (lines[0]?.trim() === "---") {
    const end = lines.indexOf("---", 1);
    if (end > 0 && lines.slice(1, end).every((line) => line === "" || /^[\w\s#-]/.test(line)))
      start = end + 1;
  }

  for (let index = start; index < lines.length; index += 1) readLine(lines[index]!, index + 1);
  endFence();
  endParagraph();
  endSummary();
  return blocks;

  function readLine(line: string, number: number): void {
    if (fence !== undefined) {
      fence.lines.push(line);
      const closing = FENCE.exec(line);
      if (closing?.[1]?.startsWith(fence.mark) === true && closing[2]?.trim() === "") endFence();
      return;
    }
    const opening = FENCE.exec(line);
    if (opening?.[1] !== undefined && !(opening[1].startsWith("`") && opening[2]?.includes("`") === true)) {
      endParagraph();
      fence = { mark: opening[1], lines: [line], from: number };
      return;
    }
    const heading = HEADING.exec(line);
    if (heading !== null) {
      endParagraph();
      addHeading(
        heading[1]!.length,
        (heading[2] ?? "").replace(/(?:^|(?<![ \t])[ \t]+)#+[ \t]*$/, ""),
        number,
      );
      return;
    }
    const underline = pending === undefined ? null : UNDERLINE.exec(line);
    if (underline !== null && pending !== undefined && !ITEM.test(pending.lines[0]!)) {
      const title = joinLines(pending.lines);
      const { from } = pending;
      pending = undefined;
      addHeading(underline[1]!.startsWith("=") ? 1 : 2, title, from);
      return;
    }
    const opened = SUMMARY.exec(line);
    if (opened !== null) {
      endParagraph();
      endSummary();
      summary = { question: withoutMarks(opened[1] ?? ""), from: blocks.length };
      if (opened[2] !== undefined && !DETAILS.test(opened[2])) addLine(opened[2].trimStart(), number);
      return;
    }
    if (DETAILS.test(line)) {
      endParagraph();
      if (line.includes("</")) endSummary();
      return;
    }
    if (line.trim() === "" || RULE.test(line)) return endParagraph();
    addLine(line, number);
  }

  function addLine(line: string, number: number): void {
    if (line.trim() === "") return;
    pending ??= { lines: [], from: number };
    pending.lines.push(line.trimEnd());
  }

  function addHeading(level: number, title: string, line: number): void {
    const text = withoutMarks(title);
    if (text !== "") blocks.push({ kind: "heading", level, text, line });
  }

  function endParagraph(): void {
    if (pending === undefined) return;
    const { lines: written, from } = pending;
    pending = undefined;
    const text = written.join("\n");
    if (/^\s*<!--/.test(text) && text.endsWith("-->")) return;
    if (TABLE_ROW.test(text)) blocks.push({ kind: "table", text, line: from });
    else if (ITEM.test(text)) blocks.push({ kind: "list", text, line: from });
    else {
      const isBold = /^\s*(\*\*|__)[^*_\n]+\1\s*$/.test(text);
      blocks.push({ kind: "paragraph", text, line: from, ...(isBold ? { isBold } : {}) });
    }
  }

  function endFence(): void {
    if (fence === undefined) return;
    blocks.push({ kind: "code", text: fence.lines.join("\n"), line: fence.from });
    fence = undefined;
  }

  function endSummary(): void {
    if (summary === undefined) return;
    const { question, from } = summary;
    summary = undefined;
    const inside = blocks.splice(from);
    const answer = inside.map((block) => (block.kind === "pair" ? block.answer : block.text)).join("\n\n");
    if (question !== "" && answer !== "") blocks.push({ kind: "pair", question, answer });
    else blocks.push(...inside);
  }
}

/** A title without the marks of emphasis, code, links and anchors. */
export function withoutMarks(title: string): string {
  return collapseBlanks(
    title
      .replace(/!?\[([^\][]{0,500})\](?:\([^()\s]{0,2000}\)|\[[^\][]{0,200}\])/g, "$1")
      .replace(/\{#[\w.:-]{1,200}\}\s*$/, "")
      .replace(/<\/?[a-z][^<>]{0,500}>/gi, "")
      .replace(/(\*\*|__|\*|`)([^*`]+?)\1/g, "$2")
      .replace(/\\([!-/:-@[-`{-~])/g, "$1"),
  );
}
