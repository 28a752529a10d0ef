import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { TextBlock } from "./block.ts";
import { chunkSections } from "./chunks.ts";
import { tokensIn } from "./tokens.ts";

const section = (blocks: TextBlock[], path: string[] = []) => ({ path, level: path.length, blocks });
const squeezed = (text: string) => text.replace(/\s+/g, "");

describe("token count", () => {
  it("tokens of control words and endless runs are counted in bounded time", () => {
    const before = process.cpuUsage();
    assert.ok(tokensIn("<|endoftext|> and <|im_start|>") > 5);
    assert.ok(tokensIn("a".repeat(200_000)) > 10_000);
    assert.ok(tokensIn(" ".repeat(200_000)) > 100);
    assert.ok(tokensIn("🙂".repeat(50_000)) > 10_000);
    assert.ok(process.cpuUsage(before).user < 3_000_000);
  });
});

describe("chunking a document", () => {
  it("neighbouring blocks share a chunk while they fit, never across a heading", () => {
    const chunks = chunkSections(
      [
        section(
          [
            { kind: "paragraph", text: "One." },
            { kind: "paragraph", text: "Two." },
          ],
          ["A"],
        ),
        section([{ kind: "paragraph", text: "Three." }], ["A", "B"]),
      ],
      64,
    );
    assert.deepEqual(
      chunks.map(({ text, headingPath }) => [text, headingPath]),
      [
        ["One.\n\nTwo.", ["A"]],
        ["Three.", ["A", "B"]],
      ],
    );
  });

  it("a table is split only between rows", () => {
    const rows = Array.from({ length: 60 }, (_, index) => `row ${index} | some value. And more | ${index}`);
    const chunks = chunkSections([section([{ kind: "table", text: rows.join("\n") }])], 100);
    assert.ok(chunks.length > 5);
    assert.deepEqual(
      chunks.flatMap(({ text }) => text.split("\n")),
      rows,
    );
  });

  it("a long paragraph is split between sentences", () => {
    const text = Array.from({ length: 40 }, (_, index) => `This is sentence number ${index}.`).join(" ");
    for (const chunk of chunkSections([section([{ kind: "paragraph", text }])], 64))
      assert.match(chunk.text, /^This.*\.$/);
  });

  it("chunking loses nothing and keeps to the limit, whatever the text", () => {
    const piece = fc.constantFrom(
      "word ",
      "Satz. ",
      "a".repeat(300),
      "中文没有空格。",
      "\n",
      "🙂🙂",
      "1,234.5 ",
      "| a | b |\n",
      "   ",
    );
    const kind = fc.constantFrom<TextBlock["kind"]>("paragraph", "list", "table", "code");
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            kind,
            text: fc.array(piece, { minLength: 1, maxLength: 80 }).map((pieces) => pieces.join("")),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        fc.integer({ min: 64, max: 300 }),
        (blocks, tokensMax) => {
          const chunks = chunkSections([section(blocks)], tokensMax);
          assert.equal(
            squeezed(chunks.map(({ text }) => text).join("")),
            squeezed(blocks.map(({ text }) => text).join("")),
          );
          for (const { text, tokens } of chunks) {
            assert.equal(tokens, tokensIn(text));
            assert.ok(tokens <= tokensMax, `${tokens} > ${tokensMax}`);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
