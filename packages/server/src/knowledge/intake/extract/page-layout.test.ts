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

describe("laying out pages", () => {
  it("takes larger lines for titles, joining those that belong together", () => {
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

  it("drops running titles, page numbers and lines of contents", () => {
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

  it("mends a word broken at a line's end, and keeps a hyphen the document writes elsewhere", () => {
    const [block] = layOutPages(
      page(1, ["The distri-"], ["bution is non-"], ["free and non-free is"], ["a word."]),
    );
    assert.equal(
      block?.kind !== "pair" && block?.text,
      "The distribution is non-free and non-free is a word.",
    );
  });

  it("takes a line in another font that asks for a title", () => {
    const blocks = layOutPages(
      page(1, ["Do you ship?", 10, 12, "bold"], ["Yes, everywhere.", 10, 12], ["And soon."]),
    );
    assert.equal(blocks[0]?.kind, "heading");
  });
});
