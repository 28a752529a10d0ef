import { readTags } from "../extract/html-tags.ts";
import { createMarkdown, type Markdown } from "./html-markdown.ts";

export interface CellText {
  text: string;
  /** What Markdown has no place for, counted by name. */
  left: Map<string, number>;
}

/** A tag that ends an element, or one that stands alone; `<b>` alone may be a word about HTML. */
const MARKUP =
  /<\/(?:a|abbr|article|aside|b|blockquote|body|center|code|dd|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|head|header|html|i|iframe|li|main|mark|ol|p|pre|s|script|section|small|span|strike|strong|style|sub|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|u|ul|video)\s{0,9}>|<(?:br|hr)\s{0,9}\/?>|<(?:img|p|div)\s|^\s{0,99}<(?:p|div|[uo]l|table|h[1-6])>/i;
const BLOCKS = /<(?:p|div|ul|ol|li|table|h[1-6]|blockquote|section|article|pre|dl)[\s>]/i;
const ENTITIES = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,24});/gi;

/** Text between backticks is about HTML and is none. */
const QUOTED = /`[^`\n]*`/g;

/** The cell of an export that holds HTML, as Markdown or, for a question, as plain text; undefined where it holds none. */
export function readHtmlCell(cell: string, as: "markdown" | "text"): CellText | undefined {
  const written = cell.includes("`") ? cell.replaceAll(QUOTED, "") : cell;
  if (written.includes("<") && MARKUP.test(written)) return convert(cell, as);
  if (!written.includes("&")) return undefined;
  const text = decodeEntities(cell);
  return text === cell ? undefined : { text, left: new Map() };
}

/** Only those: blanks and line ends of a text without tags mean what they are. */
function decodeEntities(cell: string): string {
  const known = new Map<string, string>();
  return cell.replaceAll(ENTITIES, (entity) => {
    const decoded = known.get(entity) ?? decodeOne(entity);
    known.set(entity, decoded);
    return decoded;
  });
}

function decodeOne(entity: string): string {
  let decoded = "";
  readTags(entity, { open: () => {}, text: (text) => void (decoded += text), close: () => {} });
  return decoded === "\u00a0" ? " " : decoded;
}

const DROPPED = new Set(["script", "style", "template", "noscript", "head", "title"]);
/** Dropped too, but people saw it. */
const LEFT: Readonly<Record<string, string>> = {
  iframe: "embedded page",
  video: "video",
  audio: "audio",
  object: "embedded file",
  embed: "embedded file",
  svg: "drawing",
  canvas: "drawing",
  math: "formula",
  select: "form field",
  input: "form field",
  textarea: "form field",
};
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:)\S/i;
const ADDRESS_CHARACTERS_MAX = 2_000;

function convert(html: string, as: "markdown" | "text"): CellText {
  const left = new Map<string, number>();
  const note = (what: string) => void left.set(what, (left.get(what) ?? 0) + 1);
  const markdown = createMarkdown({
    isPlain: as === "text",
    keepsLines: !BLOCKS.test(html),
    onFlattened: () => note("table cells that were joined"),
  });
  let skippedFrom: number | undefined;
  readTags(html, {
    open(name, attributes, depth) {
      if (skippedFrom !== undefined) return;
      const what = LEFT[name];
      if (what !== undefined && attributes["type"] !== "hidden") note(what);
      if (what !== undefined || DROPPED.has(name)) skippedFrom = depth;
      else if (name === "img") takeImage(markdown, attributes, note);
      else markdown.open(name, { ...attributes, ...addressOf(name, attributes, note) });
    },
    text(text) {
      if (skippedFrom === undefined) markdown.text(text);
    },
    close(name, depth) {
      if (skippedFrom === undefined) markdown.close(name);
      else if (depth === skippedFrom) skippedFrom = undefined;
    },
  });
  return { text: markdown.end(), left };
}

/** A link whose address nobody outside can follow keeps its text. */
function addressOf(name: string, attributes: Record<string, string>, note: (what: string) => void) {
  const given = attributes["href"]?.trim();
  if (name !== "a" || given === undefined || given === "") return {};
  const href = readAddress(given);
  if (href === undefined && !given.startsWith("#")) note("link without a whole address");
  return { href: href ?? "" };
}

function readAddress(given: string): string | undefined {
  if (given.length > ADDRESS_CHARACTERS_MAX || !ADDRESS.test(given)) return undefined;
  return given.replaceAll(
    /[\s()<>[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Where an image is on the web, people can open it. */
function takeImage(
  markdown: Markdown,
  { src = "", alt = "" }: Record<string, string>,
  note: (what: string) => void,
): void {
  const href = /^https?:/i.test(src.trim()) ? readAddress(src.trim()) : undefined;
  if (href === undefined) {
    note("image");
    return markdown.text(alt);
  }
  markdown.open("a", { href });
  markdown.text(alt.trim() === "" ? href : alt);
  markdown.close("a");
}
