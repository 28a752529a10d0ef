import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { readMarkdown } from "./markdown-blocks.ts";

const headings = (source: string) =>
  readMarkdown(source).flatMap((block) => (block.kind === "heading" ? [`${block.level} ${block.text}`] : []));

describe("reading Markdown", () => {
  it("Markdown headings of both kinds are found without their markers", () => {
    const source =
      "# One #\n\nTwo\n===\n\n##   **Three** `x` [four](http://e.org)  \n\nFive\nsix\n---\n\n#no\n";
    assert.deepEqual(headings(source), ["1 One", "1 Two", "2 Three x four", "2 Five six"]);
  });

  it("nothing inside a Markdown fence is a heading", () => {
    assert.deepEqual(headings("````\n# a\n```\n# b\n````\n# c\n~~~x\n# d\n"), ["1 c"]);
  });

  it("all other Markdown is kept as written", () => {
    const blocks = readMarkdown(
      "---\ntitle: x\n---\nSome *text*\nhere.\n\n- a\n- b\n\n| a | b |\n|---|---|\n\n```js\nx\n```\n<!-- no -->\n",
    );
    assert.deepEqual(
      blocks.map((block) => [block.kind, block.kind === "pair" ? "" : block.text]),
      [
        ["paragraph", "Some *text*\nhere."],
        ["list", "- a\n- b"],
        ["table", "| a | b |\n|---|---|"],
        ["code", "```js\nx\n```"],
      ],
    );
  });

  it("Markdown accordions are read as pairs", () => {
    const blocks = readMarkdown(
      "<details>\n<summary>Do you **ship**?</summary>\n\nYes.\n\n- By post\n\n</details>\n\nrest\n",
    );
    assert.deepEqual(blocks[0], { kind: "pair", question: "Do you ship?", answer: "Yes.\n\n- By post" });
    assert.equal(blocks.length, 2);
  });

  it("Markdown headings agree with a full parser on ordinary blocks", () => {
    const block = fc.constantFrom(
      "# Title one",
      "## Title two ##",
      "Under\nline\n===",
      "Under\n---",
      "Text of a\nparagraph.",
      "- item\n- item",
      "```\n# code\n```",
      "~~~\n## code",
      "> quote\n> more",
      "***",
      "| a |\n|---|",
      "####### seven",
      "#hash",
      "1. one\n2. two",
      "* * *",
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 10 }), fc.constantFrom("\n\n", "\n\n\n"), (blocks, gap) => {
        const source = blocks.join(gap);
        const expected = fromMarkdown(source).children.flatMap((node) =>
          node.type === "heading"
            ? [
                `${node.depth} ${node.children
                  .map((child) => ("value" in child ? child.value : ""))
                  .join("")
                  .replaceAll("\n", " ")}`,
              ]
            : [],
        );
        assert.deepEqual(headings(source), expected);
      }),
      { numRuns: 500 },
    );
  });

  for (const [what, source] of [
    ["50,000 quote marks", ">".repeat(50_000)],
    ["brackets without end", `# ${"[a](".repeat(50_000)}`],
    ["stars without end", `# ${"*a".repeat(100_000)}`],
    ["100,000 fences", "```\n".repeat(100_000)],
    ["500,000 dashes", "- ".repeat(500_000)],
  ] as const) {
    it(`Markdown with ${what} is read in bounded CPU time`, () => {
      const before = process.cpuUsage();
      readMarkdown(source);
      assert.ok(process.cpuUsage(before).user < 2_000_000);
    });
  }
});
