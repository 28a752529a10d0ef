import { createSpans } from "./html-spans.ts";

export interface Markdown {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
  end(): string;
}

export interface MarkdownRules {
  /** Text alone, without marks: for questions. */
  isPlain: boolean;
  /** Line ends of the source are meant: it is text with a few tags. */
  keepsLines: boolean;
  /** A table lost its shape: cells that were joined, or a table within another. */
  onFlattened: () => void;
}

const ENDS_PARAGRAPH = new Set(
  "p,div,section,article,aside,main,header,footer,blockquote,ul,ol,dl,dd,dt,table,thead,tbody,tfoot,tr,td,th,caption,form,fieldset,figure,figcaption,address,hr,body,html,details,summary,center,h1,h2,h3,h4,h5,h6,li,pre,button,nav".split(
    ",",
  ),
);
const SPANS: Readonly<Record<string, string>> = { b: "**", strong: "**", em: "*", i: "*", code: "`" };
const HEADING = /^h[1-6]$/;
/** Deeper lists are written at this depth. */
const LISTS_MAX = 4;
/** Enough for a number of one digit, as readers of Markdown want it. */
const INDENT = 3;

interface Part {
  text: string;
  isItem: boolean;
}

interface Table {
  rows: string[][];
  cell: Part[] | undefined;
  depth: number;
}

/** Makes Markdown of tags in their order, in time that grows with them alone. */
export function createMarkdown({ isPlain, keepsLines, onFlattened }: MarkdownRules): Markdown {
  const parts: Part[] = [];
  const spans = createSpans(isPlain);
  const lists: { isOrdered: boolean; next: number }[] = [];
  let quotes = 0;
  let preDepth = 0;
  let heading = 0;
  let mark = "";
  let indent = 0;
  let table: Table | undefined;

  return {
    open(name, attributes) {
      if (ENDS_PARAGRAPH.has(name)) flush();
      if (name === "br") spans.breakLine();
      else if (HEADING.test(name)) heading = Number(name[1]);
      else if (name === "pre") preDepth += 1;
      else if (name === "blockquote") quotes += 1;
      else if (name === "ul" || name === "ol") openList(name, attributes["start"]);
      else if (name === "li") openItem();
      else if (name === "a") spans.openLink(attributes["href"] ?? "");
      else if (SPANS[name] !== undefined && preDepth === 0) spans.open(SPANS[name]);
      else openTablePart(name, attributes);
    },
    text(text) {
      // A line end of the source is a blank, but for preformatted text.
      spans.text(preDepth > 0 || keepsLines ? text : text.replace(/\s+/g, " "));
    },
    close(name) {
      if (name === "a") return spans.closeLink();
      if (SPANS[name] !== undefined && preDepth === 0) return spans.close(SPANS[name]);
      if (!ENDS_PARAGRAPH.has(name)) return;
      flush();
      if (HEADING.test(name)) heading = 0;
      else if (name === "pre") preDepth = Math.max(0, preDepth - 1);
      else if (name === "blockquote") quotes = Math.max(0, quotes - 1);
      else if (name === "ul" || name === "ol") closeList();
      else if (name === "li") mark = "";
      else closeTablePart(name);
    },
    end() {
      flush();
      if (table !== undefined) leaveTable({ ...table, depth: 1 });
      return joined(parts).trim();
    },
  };

  function openList(name: string, start: string | undefined): void {
    const first = /^\d{1,6}$/.test(start ?? "") ? Number(start) : 1;
    lists.push({ isOrdered: name === "ol", next: first });
  }

  function closeList(): void {
    lists.pop();
    mark = "";
    indent = levelOf(lists.length);
  }

  function openItem(): void {
    const list = lists.at(-1);
    mark = list?.isOrdered === true ? `${list.next}. ` : "- ";
    if (list !== undefined) list.next += 1;
    indent = levelOf(lists.length);
  }

  function openTablePart(name: string, attributes: Record<string, string>): void {
    if (name === "table") {
      if (table === undefined) table = { rows: [], cell: undefined, depth: 0 };
      else onFlattened();
      table.depth += 1;
    } else if (table?.depth === 1 && name === "tr") table.rows.push([]);
    else if (table?.depth === 1 && (name === "td" || name === "th")) {
      table.cell = [];
      if (Number(attributes["colspan"] ?? 1) > 1 || Number(attributes["rowspan"] ?? 1) > 1) onFlattened();
    }
  }

  function closeTablePart(name: string): void {
    if (table === undefined) return;
    if (name === "table") {
      table.depth -= 1;
      if (table.depth === 0) leaveTable(table);
    } else if (table.depth === 1 && (name === "td" || name === "th")) endCell(table);
  }

  function endCell(within: Table): void {
    if (within.rows.length === 0) within.rows.push([]);
    within.rows.at(-1)!.push(joined(within.cell ?? []));
    within.cell = undefined;
  }

  function leaveTable(left: Table): void {
    if (left.cell !== undefined) endCell(left);
    table = undefined;
    const text = tableText(left.rows, isPlain);
    if (text !== "") parts.push({ text, isItem: false });
  }

  function flush(): void {
    const written = takeText();
    if (written === "") return;
    const part = { text: shaped(written), isItem: !isPlain && lists.length > 0 };
    if (table?.cell === undefined) parts.push(part);
    else table.cell.push(part);
  }

  function takeText(): string {
    const text = spans.take();
    if (preDepth > 0) return text.replace(/^\n+/, "").trimEnd();
    return keepsLines ? text.trim() : tidy(text);
  }

  function shaped(written: string): string {
    if (isPlain) return written;
    if (preDepth > 0) return `\`\`\`\n${written.replaceAll("```", "'''")}\n\`\`\``;
    if (heading > 0 && table === undefined)
      return `${"#".repeat(heading)} ${withoutBold(written.replaceAll("\n", " "))}`;
    const [first = "", ...rest] = written.split("\n");
    const lead = " ".repeat(indent);
    const inside = lists.length > 0 ? `${lead}   ` : "";
    const lines = [
      lists.length > 0 ? `${mark === "" ? inside : lead}${mark}${first}` : first,
      ...rest.map((line) => `${inside}${line}`),
    ];
    mark = "";
    return quotes === 0 ? lines.join("\n") : lines.map((line) => `> ${line}`).join("\n");
  }
}

function levelOf(lists: number): number {
  return INDENT * Math.min(LISTS_MAX, Math.max(0, lists - 1));
}

/** A heading is bold as it is. */
function withoutBold(line: string): string {
  return line.startsWith("**") && line.endsWith("**") && line.length > 4 && !line.slice(2, -2).includes("**")
    ? line.slice(2, -2)
    : line;
}

function joined(parts: readonly Part[]): string {
  return parts
    .map(({ text, isItem }, index) => {
      const before = parts[index - 1];
      if (before === undefined) return text;
      return `${isItem && before.isItem ? "\n" : "\n\n"}${text}`;
    })
    .join("");
}

/** One that only lays a text out is text again. Short rows are not filled up, or a small table could become a large one. */
function tableText(rows: readonly string[][], isPlain: boolean): string {
  const filled = rows.filter((cells) => cells.some((cell) => cell !== ""));
  const [head = [], ...body] = filled;
  if (isPlain) return filled.map((cells) => cells.filter((cell) => cell !== "").join(", ")).join("\n");
  if (head.length < 2 || body.length === 0)
    return filled.map((cells) => cells.filter((cell) => cell !== "").join("\n\n")).join("\n\n");
  const line = (cells: readonly string[]) => `| ${cells.map(oneLine).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...body.map(line)].join("\n");
}

function oneLine(cell: string): string {
  return cell.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

/** Only the line ends of `<br>` are still there. */
function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replaceAll(/[\s\u00a0]+/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
