import { Tokenizer } from "htmlparser2";

export interface TagHandler {
  /** `depth` counts the element itself; the outermost has 1. */
  open(name: string, attributes: Record<string, string>, depth: number): void;
  text(text: string): void;
  close(name: string, depth: number): void;
}

const VOID = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "param",
  "source",
  "track",
  "wbr",
]);
const KEPT_ATTRIBUTES = new Set([
  "class",
  "href",
  "type",
  "role",
  "hidden",
  "aria-hidden",
  "src",
  "alt",
  "start",
  "colspan",
  "rowspan",
]);

/** People leave these open; the next of their kind ends them. */
const CLOSED_BY: Record<string, Set<string>> = {
  p: new Set(["p"]),
  li: new Set(["li", "p"]),
  dt: new Set(["dt", "dd", "p"]),
  dd: new Set(["dt", "dd", "p"]),
  tr: new Set(["tr", "td", "th", "p"]),
  td: new Set(["td", "th", "p"]),
  th: new Set(["td", "th", "p"]),
};

/**
 * Beyond this depth elements pass their text on and are not remembered: no page of a person is nested like that, and
 * whatever keeps every open element grows slow with the square of them.
 */
const DEPTH_MAX = 256;

/** Tags and text of a page in their order, each opened element closed once, in time that grows with the page alone. */
export function readTags(html: string, handler: TagHandler): void {
  const open: string[] = [];
  let unremembered = 0;
  let name = "";
  let attributes: Record<string, string> = {};
  let attribute = "";
  let value = "";

  const openElement = () => {
    const closes = CLOSED_BY[name];
    while (closes?.has(open.at(-1) ?? "") === true) closeTop();
    const isRemembered = open.length < DEPTH_MAX;
    handler.open(name, attributes, open.length + 1);
    if (VOID.has(name)) return handler.close(name, open.length + 1);
    if (isRemembered) open.push(name);
    else unremembered += 1;
  };
  const closeTop = () => {
    const closing = open.pop();
    if (closing !== undefined) handler.close(closing, open.length + 1);
  };
  const closeElement = (closing: string) => {
    if (unremembered > 0) return void (unremembered -= 1);
    if (!open.includes(closing)) return;
    while (open.at(-1) !== closing) closeTop();
    closeTop();
  };

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase();
        attributes = {};
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata: (start, end) => void (value += html.slice(start, end)),
      onattribentity: (codepoint) => void (value += String.fromCodePoint(codepoint)),
      onattribend() {
        if (KEPT_ATTRIBUTES.has(attribute)) attributes[attribute] ??= value;
      },
      onopentagend: openElement,
      onselfclosingtag: openElement,
      onclosetag: (start, end) => closeElement(html.slice(start, end).toLowerCase()),
      ontext: (start, end) => handler.text(html.slice(start, end)),
      ontextentity: (codepoint) => handler.text(String.fromCodePoint(codepoint)),
      oncdata: (start, end, offset) => handler.text(html.slice(start, end - offset)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  while (open.length > 0) closeTop();
}
