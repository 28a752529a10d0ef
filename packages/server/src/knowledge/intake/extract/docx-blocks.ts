import type { IntakeLimits } from "../limits.ts";
import { failed, type FileFailure } from "../outcome.ts";
import { unpackZip } from "../unpack-zip.ts";
import { collapseBlanks, type Block } from "./block.ts";
import { readDocxLinks, readDocxStyles, type ParagraphStyle } from "./docx-styles.ts";
import { readXmlTags } from "./xml-tags.ts";

const DOCUMENT = "word/document.xml";
const STYLES = "word/styles.xml";
const LINKS = "word/_rels/document.xml.rels";

/** Moved-away text stands a second time where it moved to, and a fallback repeats what it falls back for. */
const SKIPPED = new Set(["moveFrom", "Fallback", "del"]);

/**
 * Reads the text of a Word document tag by tag. A library that builds the tree took 250 MB for a document of one
 * megabyte, which is a hundred pages.
 */
export async function readDocx(
  path: string,
  { unpackedBytesMax }: Pick<IntakeLimits, "unpackedBytesMax">,
): Promise<{ kind: "blocks"; blocks: Block[] } | FileFailure> {
  const unpacked = await unpackZip(
    path,
    (name) => [DOCUMENT, STYLES, LINKS].includes(name),
    unpackedBytesMax,
  );
  if (unpacked.kind === "failed") return unpacked;
  const { parts } = unpacked;
  const document = parts.get(DOCUMENT)?.toString("utf8");
  if (document === undefined)
    return failed("unreadable", "the file is not a Word document: its text part is missing");
  const styleOf = readDocxStyles(parts.get(STYLES)?.toString("utf8"));
  const links = readDocxLinks(parts.get(LINKS)?.toString("utf8"));
  parts.clear();
  return { kind: "blocks", blocks: readDocument(document, styleOf, links) };
}

interface Paragraph {
  text: string;
  boldCharacters: number;
  headingLevel: number | undefined;
  isContents: boolean;
  isItem: boolean;
}

function readDocument(
  xml: string,
  styleOf: (styleId: string) => ParagraphStyle,
  links: Map<string, string>,
): Block[] {
  const blocks: Block[] = [];
  const rows: string[] = [];
  let cells: string[] | undefined;
  let tableDepth = 0;
  let skipDepth = 0;
  let inText = false;
  let isBoldRun = false;
  let inRunProperties = false;
  let link: { url: string; from: number } | undefined;
  let paragraph = newParagraph();

  readXmlTags(xml, {
    open(name, attributes) {
      if (SKIPPED.has(name)) skipDepth += 1;
      if (skipDepth > 0) return;
      switch (name) {
        case "p":
          paragraph = newParagraph();
          break;
        case "pStyle":
          Object.assign(paragraph, styleOf(attributes["val"] ?? ""));
          break;
        case "outlineLvl":
          if (Number(attributes["val"]) < 9) paragraph.headingLevel = Number(attributes["val"]) + 1;
          break;
        case "numPr":
          paragraph.isItem = true;
          break;
        case "r":
          isBoldRun = false;
          break;
        case "rPr":
          inRunProperties = true;
          break;
        case "b":
          if (inRunProperties) isBoldRun = !["0", "false", "off"].includes(attributes["val"] ?? "");
          break;
        case "t":
          inText = true;
          break;
        case "tab":
          if (!inRunProperties) paragraph.text += " ";
          break;
        case "br":
        case "cr":
          paragraph.text += "\n";
          break;
        case "noBreakHyphen":
          paragraph.text += "-";
          break;
        case "hyperlink": {
          const url = links.get(attributes["id"] ?? "");
          link = url === undefined ? undefined : { url, from: paragraph.text.length };
          break;
        }
        case "tbl":
          tableDepth += 1;
          break;
        case "tr":
          if (tableDepth === 1) cells = [];
          break;
        case "tc":
          if (tableDepth === 1) cells?.push("");
          break;
        default:
      }
    },
    text(text) {
      if (!inText || skipDepth > 0) return;
      paragraph.text += text;
      if (isBoldRun) paragraph.boldCharacters += text.replace(/\s/g, "").length;
    },
    close(name) {
      if (SKIPPED.has(name)) skipDepth = Math.max(0, skipDepth - 1);
      else if (skipDepth > 0) return;
      else if (name === "t") inText = false;
      else if (name === "rPr") inRunProperties = false;
      else if (name === "hyperlink") closeLink();
      else if (name === "p") closeParagraph();
      else if (name === "tr" && tableDepth === 1) closeRow();
      else if (name === "tbl") closeTable();
    },
  });
  closeTable();
  return blocks;

  function closeLink(): void {
    if (link !== undefined && !paragraph.text.slice(link.from).includes(link.url))
      paragraph.text += ` (${link.url})`;
    link = undefined;
  }

  function closeParagraph(): void {
    const { isContents, headingLevel, isItem, boldCharacters } = paragraph;
    const text = paragraph.text.split("\n").map(collapseBlanks).join("\n").trim();
    paragraph = newParagraph();
    if (text === "" || isContents) return;
    if (cells !== undefined) {
      cells.push(`${cells.pop() ?? ""} ${text}`);
      return;
    }
    if (headingLevel !== undefined) {
      blocks.push({ kind: "heading", level: headingLevel, text: collapseBlanks(text) });
      return;
    }
    const isBold = boldCharacters >= text.replace(/\s/g, "").length;
    blocks.push({
      kind: isItem ? "list" : "paragraph",
      text: isItem ? `- ${text}` : text,
      ...(isBold ? { isBold } : {}),
    });
  }

  function closeRow(): void {
    const written = (cells ?? []).map(collapseBlanks);
    if (written.some((cell) => cell !== "")) rows.push(written.join(" | "));
    cells = undefined;
  }

  function closeTable(): void {
    tableDepth = Math.max(0, tableDepth - 1);
    if (tableDepth > 0) return;
    closeRow();
    if (rows.length > 0) blocks.push({ kind: "table", text: rows.splice(0).join("\n") });
  }
}

function newParagraph(): Paragraph {
  return { text: "", boldCharacters: 0, headingLevel: undefined, isContents: false, isItem: false };
}
