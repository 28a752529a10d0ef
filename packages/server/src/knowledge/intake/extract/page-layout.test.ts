import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { layOutPages, type PageLine } from "./page-layout.ts";

/** Lines down a page, each [text, size, gap above]. */
function page(
  number: number,
  ...lines: [text: string, size?: number, gap?: number, font?: string][]
): PageLine[] {
  let y = 800;
  return lines.map(([text, size = 10, gap = 12, font = "body"]) => ({
    page: number,
    text,
    x: 80,
    y: (y -= gap),
    size,
    font,
  }));
}

describe("PDF page layout", () => {
  it("larger lines are headings, joined when they belong together", () => {
    const blocks = layOutPages(
      page(
        1,
        ["The Guide", 24],
        ["1.1 How do I install it from", 14, 40],
        ["the archive?", 14, 17],
        ["Take it and put it", 10, 30],
        ["where you want.", 10],
        ["Another paragraph.", 10, 24],
      ),
    );
    assert.deepEqual(blocks, [
      { kind: "heading", level: 1, text: "The Guide", page: 1 },
      { kind: "heading", level: 2, text: "1.1 How do I install it from the archive?", page: 1 },
      { kind: "paragraph", text: "Take it and put it where you want.", page: 1 },
      { kind: "paragraph", text: "Another paragraph.", page: 1 },
    ]);
  });

  it("running headers, page numbers and tables of contents are dropped", () => {
    const lines = [1, 2, 3, 4].flatMap((number) => [
      ...page(
        number,
        ["CHAPTER ONE"],
        ["1.1 Title . . . . . . . . 7", 10, 40],
        [`Text of page ${number}.`, 10, 24],
        [`More of it.`, 10, 24],
      ),
      { page: number, text: String(number), x: 300, y: 40, size: 10, font: "body" },
    ]);
    const texts = layOutPages(lines).map((block) => (block.kind === "pair" ? "" : block.text));
    assert.deepEqual(
      texts,
      [1, 2, 3, 4].flatMap((number) => [`Text of page ${number}.`, "More of it."]),
    );
  });

  it("a word hyphenated at a line end is joined, and a real hyphen is kept", () => {
    const [block] = layOutPages(
      page(1, ["The distri-"], ["bution is non-"], ["free and non-free is"], ["a word."]),
    );
    assert.equal(
      block?.kind !== "pair" && block?.text,
      "The distribution is non-free and non-free is a word.",
    );
  });

  it("a question in another font is a heading", () => {
    const blocks = layOutPages(
      page(1, ["Do you ship?", 10, 12, "bold"], ["Yes, everywhere.", 10, 12], ["And soon."]),
    );
    assert.equal(blocks[0]?.kind, "heading");
  });
});
