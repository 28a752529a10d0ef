import { collapseBlanks, textOfBlocks, type Block, type TextBlock } from "./block.ts";
import { readFaqPage } from "./faq-page.ts";
import { isSkipped } from "./html-skipped.ts";
import { readTags } from "./html-tags.ts";

const ENDS_PARAGRAPH = new Set([
  "p",
  "div",
  "section",
  "article",
  "main",
  "header",
  "footer",
  "blockquote",
  "ul",
  "ol",
  "dl",
  "dd",
  "dt",
  "table",
  "form",
  "figure",
  "figcaption",
  "fieldset",
  "address",
  "hr",
  "body",
  "html",
  "details",
  "summary",
  "center",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "li",
  "pre",
  "tr",
  "caption",
]);
const BOLD = new Set(["b", "strong"]);
const HEADING = /^h[1-6]$/;

/** Reads a page tag by tag, without ever building a tree. */
export function readHtml(html: string): Block[] {
  const blocks: Block[] = [];
  const lists: { isOrdered: boolean; count: number }[] = [];
  let inline = "";
  let boldCharacters = 0;
  let boldDepth = 0;
  let preDepth = 0;
  let skippedFrom: number | undefined;
  let heading: number | undefined;
  let itemMark = "";
  let table: { depth: number; rows: string[]; cells: string[] | undefined } | undefined;
  let link: { href: string; from: number } | undefined;
  let faqScript: string | undefined;
  /** An accordion or a definition: what is open takes the blocks that follow as its answer. */
  let open: { question: string; from: number } | undefined;
  let openDetails = 0;

  readTags(html, {
    open(name, attributes, depth) {
      if (skippedFrom !== undefined) return;
      if (name === "script" && attributes["type"] === "application/ld+json") faqScript = "";
      if (isSkipped(name, attributes)) {
        endParagraph();
        skippedFrom = depth;
        return;
      }
      if (HEADING.test(name)) leaveTable();
      if (ENDS_PARAGRAPH.has(name)) endParagraph();
      openElement(name, attributes, depth);
    },
    text(text) {
      if (faqScript !== undefined) faqScript += text;
      if (skippedFrom === undefined) takeText(text);
    },
    close(name, depth) {
      if (skippedFrom === undefined) return closeElement(name, depth);
      if (name === "script") takeFaqScript();
      if (depth === skippedFrom) skippedFrom = undefined;
    },
  });
  leaveTable();
  flush();
  closePair();
  return blocks;

  function takeText(text: string): void {
    // A line end of the source is a blank, but for preformatted text; that of <br> is one.
    const written = preDepth > 0 ? text : text.replace(/\s+/g, " ");
    if (table?.cells !== undefined) {
      table.cells[table.cells.length - 1] += written;
      return;
    }
    inline += written;
    if (boldDepth > 0) boldCharacters += written.replaceAll(" ", "").length;
  }

  function openElement(name: string, attributes: Record<string, string>, depth: number): void {
    if (HEADING.test(name)) heading = Number(name[1]);
    else if (BOLD.has(name)) boldDepth += 1;
    else if (name === "pre") preDepth += 1;
    else if (name === "br") inline += "\n";
    else if (name === "ul" || name === "ol") lists.push({ isOrdered: name === "ol", count: 0 });
    else if (name === "li") beginItem();
    else if (name === "table") table ??= { depth, rows: [], cells: undefined };
    else if (name === "tr" && table !== undefined && depth <= table.depth + 2) table.cells = [""];
    else if ((name === "td" || name === "th") && table?.cells !== undefined && depth <= table.depth + 3)
      table.cells.push("");
    else if (name === "a") link = { href: attributes["href"] ?? "", from: inline.length };
    else if (name === "details") openDetails += 1;
  }

  function closeElement(name: string, depth: number): void {
    if (table !== undefined) {
      if (name === "tr" && depth <= table.depth + 2) endRow(table);
      else if (depth === table.depth) leaveTable();
    }
    if (name === "a") return closeLink();
    if (BOLD.has(name)) return void (boldDepth = Math.max(0, boldDepth - 1));
    const isInCell = table?.cells !== undefined;
    if (!isInCell && (name === "summary" || name === "dt")) return beginPair(name);
    if (!ENDS_PARAGRAPH.has(name)) return;
    endParagraph();
    if (name === "pre") preDepth = Math.max(0, preDepth - 1);
    else if (name === "ul" || name === "ol") lists.pop();
    else if (isInCell) return;
    else if (name === "dd" || name === "dl") closePair();
    else if (name === "details") {
      openDetails = Math.max(0, openDetails - 1);
      closePair();
    }
    if (HEADING.test(name)) heading = undefined;
  }

  function beginItem(): void {
    const list = lists.at(-1);
    if (list !== undefined) list.count += 1;
    itemMark = `${"  ".repeat(Math.min(8, Math.max(0, lists.length - 1)))}${list?.isOrdered === true ? `${list.count}. ` : "- "}`;
  }

  function closeLink(): void {
    if (link === undefined) return;
    const text = inline.slice(link.from).trim();
    if (/^https?:\/\//i.test(link.href) && text !== "" && !text.includes(link.href) && table === undefined)
      inline += ` (${link.href})`;
    link = undefined;
  }

  function endRow(within: NonNullable<typeof table>): void {
    const cells = (within.cells ?? []).map(collapseBlanks);
    within.cells = undefined;
    // Text in a row before its first cell is invalid, and read all the same.
    if (cells[0] === "") cells.shift();
    while (cells.at(-1) === "") cells.pop();
    if (cells.length > 0) within.rows.push(cells.join(" | "));
  }

  /** At its end, or where a heading shows that it was a way to lay out the page. */
  function leaveTable(): void {
    if (table === undefined) return;
    endRow(table);
    const { rows } = table;
    table = undefined;
    if (rows.length > 0) blocks.push({ kind: "table", text: rows.join("\n") });
  }

  function endParagraph(): void {
    if (table?.cells === undefined) flush();
    else table.cells[table.cells.length - 1] += " ";
  }

  /** A definition is a pair only where its term asks something; an accordion always is one. */
  function beginPair(name: string): void {
    const question = collapseBlanks(inline);
    const isAsked = name === "summary" ? openDetails > 0 : /[?？؟]\s*$/.test(question);
    if (question === "" || !isAsked) return flush();
    inline = "";
    boldCharacters = 0;
    closePair();
    open = { question, from: blocks.length };
  }

  function closePair(): void {
    if (open === undefined) return;
    const { question, from } = open;
    open = undefined;
    const inside = blocks.splice(from);
    const answer = textOfBlocks(inside);
    if (answer !== "") blocks.push({ kind: "pair", question, answer });
    else blocks.push({ kind: "paragraph", text: question });
  }

  function flush(): void {
    const written = preDepth > 0 ? inline.replace(/^\n+/, "").trimEnd() : tidy(inline);
    const isBold = written !== "" && boldCharacters >= written.replace(/\s/g, "").length;
    inline = "";
    boldCharacters = 0;
    if (written === "") return;
    if (table !== undefined) return void table.rows.push(collapseBlanks(written));
    if (heading !== undefined) {
      blocks.push({ kind: "heading", level: heading, text: collapseBlanks(written) });
      return;
    }
    const isItem = itemMark !== "";
    const block: TextBlock = {
      kind: preDepth > 0 ? "code" : isItem || lists.length > 0 ? "list" : "paragraph",
      text: itemMark + written,
    };
    itemMark = "";
    if (isBold) block.isBold = true;
    blocks.push(block);
  }

  function takeFaqScript(): void {
    if (faqScript === undefined) return;
    for (const { question, answer } of readFaqPage(faqScript))
      blocks.push({ kind: "pair", question, answer: plainText(answer) });
    faqScript = undefined;
  }
}

/** Blanks and line ends of the source mean nothing, those of `<br>` do: they alone are still there as line ends. */
function tidy(text: string): string {
  return text
    .split("\n")
    .map(collapseBlanks)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function plainText(html: string): string {
  return textOfBlocks(readHtml(html));
}
