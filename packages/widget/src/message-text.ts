import { element } from "./dom.ts";
import { readLinks, readMarkdown, type Block, type Inline } from "./markdown.ts";

/** Opens beside this page, and tells the other side nothing about it. */
const SAFETY = { target: "_blank", rel: "noopener noreferrer nofollow" };

/**
 * Markdown as elements. Made node by node: nothing that was said is ever read as HTML. What cannot be formatted is shown as
 * it was written: one message must not take the chat with it.
 */
export function formatted(text: string): Node[] {
  try {
    return readMarkdown(text).map(blockElement);
  } catch (error) {
    reportError(error);
    return [element("p", {}, text)];
  }
}

/** As it was typed, with its addresses as links. */
export function asTyped(text: string): Node[] {
  return [element("p", {}, ...inlineNodes(readLinks(text)))];
}

/** A link under a name; the name alone where the address could do more than open a page. */
export function linkTo(address: string, name: string): Node | string {
  return /^https?:/i.test(address) ? element("a", { href: address, ...SAFETY }, name) : name;
}

function blockElement(block: Block): HTMLElement {
  switch (block.kind) {
    case "paragraph":
      return element("p", {}, ...inlineNodes(block.children));
    case "heading":
      // No heading of the page's outline: a message says it.
      return element("p", { class: "heading" }, ...inlineNodes(block.children));
    case "quote":
      return element("blockquote", {}, ...block.children.map(blockElement));
    case "code":
      return element("pre", { tabindex: "0" }, element("code", {}, block.text));
    case "list": {
      const items = block.items.map((item) => element("li", {}, ...item.map(blockElement)));
      return block.start === undefined
        ? element("ul", {}, ...items)
        : element("ol", { start: String(block.start) }, ...items);
    }
  }
}

function inlineNodes(parts: readonly Inline[]): (Node | string)[] {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.kind === "code") return element("code", {}, part.text);
    if (part.kind !== "link") return element(part.kind, {}, ...inlineNodes(part.children));
    return element("a", { href: part.href, ...SAFETY }, ...inlineNodes(part.children));
  });
}
