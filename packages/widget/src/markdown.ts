// Markdown as agents and humans write it, read into a tree. Nothing here makes HTML: what is not understood stays text.

export type Inline =
  | string
  | { kind: "strong" | "em"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "link"; href: string; children: Inline[] };

export type Block =
  | { kind: "paragraph" | "heading"; children: Inline[] }
  | { kind: "list"; start: number | undefined; items: Block[][] }
  | { kind: "quote"; children: Block[] }
  | { kind: "code"; text: string };

/** Lists and quotes within each other; what is deeper stays text. */
const DEPTH_MAX = 4;
/** Bold and italic within each other. Each level reads its text once more, so this also bounds the time of a message. */
const EMPHASIS_DEPTH_MAX = 6;
const LINK_PROTOCOLS = ["http:", "https:", "mailto:"];

/** What only reads as a list, a quote or a heading at the beginning of a line. */
const BULLET = /^ {0,3}[-*+•] +(?=\S)/;
const NUMBER = /^ {0,3}(\d{1,9})[.)] +(?=\S)/;
const QUOTE = /^ {0,3}> ?/;
const HEADING = /^ {0,3}#{1,6} +(?=\S)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INDENTED = /^(?: {2,}|\t)/;

export function readMarkdown(text: string): Block[] {
  return readBlocks(text.replaceAll(/\r\n?/g, "\n").split("\n"), 0);
}

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0)
      blocks.push({ kind: "paragraph", children: readInline(paragraph.join("\n").trim()) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length;) {
    const found = blockAt(lines, at, depth);
    if (found !== undefined) {
      endParagraph();
      blocks.push(found.block);
      at = found.next;
      continue;
    }
    const line = lines[at] ?? "";
    if (line.trim() === "") endParagraph();
    else paragraph.push(line);
    at += 1;
  }
  endParagraph();
  return blocks;
}

interface BlockAt {
  block: Block;
  next: number;
}

function blockAt(lines: readonly string[], at: number, depth: number): BlockAt | undefined {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return codeAt(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const children = readInline(line.slice(heading[0].length).replace(/\s#+\s*$/, ""));
    return { block: { kind: "heading", children }, next: at + 1 };
  }
  if (depth >= DEPTH_MAX) return undefined;
  if (QUOTE.test(line)) {
    let next = at;
    while (QUOTE.test(lines[next] ?? "")) next += 1;
    const inside = lines.slice(at, next).map((quoted) => quoted.replace(QUOTE, ""));
    return { block: { kind: "quote", children: readBlocks(inside, depth + 1) }, next };
  }
  const marker = BULLET.test(line) ? BULLET : NUMBER.test(line) ? NUMBER : undefined;
  return marker === undefined ? undefined : listAt(lines, at, marker, depth);
}

/** One that nobody closed reaches to the end. */
function codeAt(lines: readonly string[], at: number, fence: string): BlockAt {
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? "").trimStart().startsWith(fence)) end += 1;
  return { block: { kind: "code", text: lines.slice(at + 1, end).join("\n") }, next: end + 1 };
}

/** An item goes on with lines that are indented, a list over a blank line to its next item. */
function listAt(lines: readonly string[], at: number, marker: RegExp, depth: number): BlockAt {
  const start = NUMBER.exec(lines[at] ?? "")?.[1];
  const items: Block[][] = [];
  let next = at;
  while (marker.test(lines[next] ?? "")) {
    const item = [(lines[next] ?? "").replace(marker, "")];
    next += 1;
    while (isInItem(lines, next)) {
      item.push((lines[next] ?? "").replace(INDENTED, ""));
      next += 1;
    }
    items.push(readBlocks(item, depth + 1));
    if ((lines[next] ?? "").trim() === "" && marker.test(lines[next + 1] ?? "")) next += 1;
  }
  return {
    block: { kind: "list", start: start === undefined ? undefined : Number(start), items },
    next,
  };
}

function isInItem(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return line.trim() === "" ? INDENTED.test(lines[at + 1] ?? "") : INDENTED.test(line);
}

const LINK =
  /!?\[([^[\]\n]{0,500})\]\(\s{0,9}([^\s()]{1,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500})?)\s{0,9}\)/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w.-]{1,255})>/y;
/** Without what ends the sentence around it, in English and Chinese. */
const ADDRESS = /https?:\/\/[^\s<>"'`）】」]*[^\s<>"'`*_.,;:!?()[\]）】」。，；：！？、]/y;

interface Around {
  /** Links hold no links. */
  isLink: boolean;
  emphasisDepth: number;
}

export function readInline(text: string): Inline[] {
  return readParts(text, { isLink: false, emphasisDepth: 0 });
}

function readParts(text: string, around: Around): Inline[] {
  const read: Inline[] = [];
  /** Marks that nothing closes from here on: each is looked for once. */
  const open = new Set<string>();
  const special = /\\[!-/:-@[-`{-~]|`+|\*\*?|__?|!?\[|<(?=\S)|\bhttps?:\/\//g;
  let plain = 0;
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const found = inlineAt(text, match.index, match[0], open, around);
    if (found === undefined) continue;
    if (match.index > plain) read.push(text.slice(plain, match.index));
    read.push(found.part);
    special.lastIndex = plain = found.to;
  }
  if (plain < text.length) read.push(text.slice(plain));
  return read;
}

/** As it was typed, with its addresses as links. */
export function readLinks(text: string): Inline[] {
  const read: Inline[] = [];
  let plain = 0;
  for (let at = text.indexOf("http"); at !== -1; at = text.indexOf("http", at)) {
    const found = addressAt(text, at);
    if (found === undefined) {
      at += 1;
      continue;
    }
    read.push(text.slice(plain, at), found.part);
    at = plain = found.to;
  }
  read.push(text.slice(plain));
  return read;
}

interface InlineAt {
  part: Inline;
  to: number;
}

function inlineAt(
  text: string,
  at: number,
  mark: string,
  open: Set<string>,
  around: Around,
): InlineAt | undefined {
  if (mark.startsWith("\\")) return { part: mark.slice(1), to: at + mark.length };
  if (mark.startsWith("`")) return codeSpanAt(text, at, mark, open);
  if (mark.startsWith("*") || mark.startsWith("_")) return emphasisAt(text, at, mark, open, around);
  if (around.isLink) return undefined;
  if (mark === "[" || mark === "![") return namedLinkAt(text, at, around);
  if (mark === "<") {
    const address = matchAt(AUTOLINK, text, at)?.[1];
    if (address === undefined) return undefined;
    return linkTo(/^\w+:/.test(address) ? address : `mailto:${address}`, [address], at + address.length + 2);
  }
  return addressAt(text, at);
}

/** What looks like an address and is none stays text as a whole: nothing is looked for within it again. */
function addressAt(text: string, at: number): InlineAt | undefined {
  const address = matchAt(ADDRESS, text, at)?.[0];
  if (address === undefined) return undefined;
  const to = at + address.length;
  return linkTo(address, [address], to) ?? { part: address, to };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function codeSpanAt(text: string, at: number, mark: string, open: Set<string>): InlineAt | undefined {
  const start = at + mark.length;
  const end = open.has(mark) ? -1 : text.indexOf(mark, start);
  if (end === -1) open.add(mark);
  if (end <= start) return undefined;
  return { part: { kind: "code", text: text.slice(start, end) }, to: end + mark.length };
}

const LATIN_WORD = /[\p{Script=Latin}\p{N}_]/u;

/** A mark within a word, as in 2*3*4 and snake_case, says nothing; Chinese has no blanks, so there it may. */
function emphasisAt(
  text: string,
  at: number,
  mark: string,
  open: Set<string>,
  { isLink, emphasisDepth }: Around,
): InlineAt | undefined {
  if (emphasisDepth >= EMPHASIS_DEPTH_MAX) return undefined;
  const start = at + mark.length;
  const opens = /\S/.test(text[start] ?? " ") && (mark === "**" || !LATIN_WORD.test(text[at - 1] ?? ""));
  const end = opens && !open.has(mark) ? closeOf(text, mark, start) : -1;
  if (opens && end === -1) open.add(mark);
  if (end === -1) return undefined;
  const children = readParts(text.slice(start, end), { isLink, emphasisDepth: emphasisDepth + 1 });
  return { part: { kind: mark.length === 2 ? "strong" : "em", children }, to: end + mark.length };
}

function closeOf(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    if (at === from || /\s/.test(text[at - 1] ?? " ")) continue;
    const [sign = ""] = mark;
    const isLonger = text[at + mark.length] === sign || (mark.length === 1 && text[at - 1] === sign);
    if (isLonger) continue;
    if (mark === "**" || !LATIN_WORD.test(text[at + mark.length] ?? "")) return at;
  }
  return -1;
}

function namedLinkAt(text: string, at: number, around: Around): InlineAt | undefined {
  const match = matchAt(LINK, text, at);
  if (match === null) return undefined;
  const [whole, name = "", address = ""] = match;
  const isOtherAddress = /^\s*(?:https?:\/\/|www\.)/i.test(name) && name.trim() !== address;
  // A name that is itself an address must not stand for another one.
  const children =
    name.trim() === "" || isOtherAddress ? [address] : readParts(name, { ...around, isLink: true });
  return linkTo(address, children, at + whole.length);
}

/** Undefined for an address that is none, or that could do more than open a page or a letter. */
function linkTo(address: string, children: Inline[], to: number): InlineAt | undefined {
  try {
    const { href, protocol } = new URL(address);
    return LINK_PROTOCOLS.includes(protocol) ? { part: { kind: "link", href, children }, to } : undefined;
  } catch {
    return undefined;
  }
}
