import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readInline, readLinks, readMarkdown, type Block, type Inline } from "./markdown.ts";

/** The tree in a short form: `strong(…)`, `link(address: …)`. */
function short(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.kind === "code") return `code(${part.text})`;
      if (part.kind === "link") return `link(${part.href}: ${short(part.children)})`;
      return `${part.kind}(${short(part.children)})`;
    })
    .join("");
}

function shortBlock(block: Block): unknown {
  if (block.kind === "code") return { code: block.text };
  if (block.kind === "list") return { [block.start ?? "-"]: block.items.map((item) => item.map(shortBlock)) };
  if (block.kind === "quote") return { quote: block.children.map(shortBlock) };
  return block.kind === "heading" ? { heading: short(block.children) } : short(block.children);
}

const inline = (text: string) => short(readInline(text));
const blocks = (text: string) => readMarkdown(text).map(shortBlock);

describe("Markdown in messages", () => {
  it("Markdown renders bold, italic and code, also nested", () => {
    assert.equal(inline("a **b** *c* _d_ __e__ `f`"), "a strong(b) em(c) em(d) strong(e) code(f)");
    assert.equal(inline("**a *b* c** and ***d***"), "strong(a em(b) c) and strong(em(d))");
    assert.equal(inline("请**注意**：_周日_休息"), "请strong(注意)：em(周日)休息");
    assert.equal(inline("`**not bold**`"), "code(**not bold**)");
  });

  it("Markdown leaves markers alone that mark nothing", () => {
    for (const text of [
      "2*3*4 = 24",
      "a snake_case_name",
      "5 * 3 * 2",
      "**open",
      "a ` b",
      "[x]",
      "[x] (y)",
      "****",
    ])
      assert.equal(inline(text), text);
    assert.equal(inline("\\*not em\\*"), "*not em*");
  });

  it("Markdown renders links and bare addresses", () => {
    assert.equal(
      inline("[our **help**](https://a.example/x)"),
      "link(https://a.example/x: our strong(help))",
    );
    assert.equal(inline("[write](mailto:a@b.example)"), "link(mailto:a@b.example: write)");
    assert.equal(
      inline("see https://a.example/a_b_c."),
      "see link(https://a.example/a_b_c: https://a.example/a_b_c).",
    );
    assert.equal(inline("（https://a.example/x）。"), "（link(https://a.example/x: https://a.example/x)）。");
    assert.equal(
      inline("<https://a.example/> <a@b.example>"),
      "link(https://a.example/: https://a.example/) link(mailto:a@b.example: a@b.example)",
    );
    assert.equal(inline("**https://a.example/x**"), "strong(link(https://a.example/x: https://a.example/x))");
    assert.equal(inline("[wiki](https://a.example/x_(y))"), "link(https://a.example/x_(y): wiki)");
    assert.equal(
      short(readLinks("*as* typed https://a.example/*x*")),
      "*as* typed link(https://a.example/*x: https://a.example/*x)*",
    );
  });

  it("Markdown makes no link of an address other than http, https and mailto", () => {
    for (const address of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "/relative",
      "//host/x",
      "blob:x",
    ])
      for (const text of [`[x](${address})`, `![x](${address})`, `<${address}>`])
        assert.doesNotMatch(inline(text), /link\(/, text);
    assert.doesNotMatch(inline("[x](java\nscript:alert(1))"), /link\(/);
  });

  it("Markdown shows the real address when the text of a link is another address", () => {
    assert.equal(
      inline("[https://bank.example](https://evil.example/)"),
      "link(https://evil.example/: https://evil.example/)",
    );
  });

  it("Markdown renders an image as a link and loads nothing", () => {
    assert.equal(inline("![a map](https://a.example/map.png)"), "link(https://a.example/map.png: a map)");
  });

  it("Markdown keeps HTML as text", () => {
    const html = `<img src=x onerror="alert(1)"><script>alert(1)</script>`;
    assert.deepEqual(blocks(html), [html]);
  });

  it("Markdown renders paragraphs, headings, lists, quotes and code", () => {
    assert.deepEqual(blocks("# Returns #\none\ntwo\n\nthree"), [{ heading: "Returns" }, "one\ntwo", "three"]);
    assert.deepEqual(blocks("first:\n- a\n- b\n  more\n  - c\n\nlast"), [
      "first:",
      { "-": [["a"], ["b\nmore", { "-": [["c"]] }]] },
      "last",
    ]);
    assert.deepEqual(blocks("3. a\n\n4. b"), [{ 3: [["a"], ["b"]] }]);
    assert.deepEqual(blocks("> a\n> - b\nc"), [{ quote: ["a", { "-": [["b"]] }] }, "c"]);
    assert.deepEqual(blocks("```js\n**x**\n```\ny"), [{ code: "**x**" }, "y"]);
    assert.deepEqual(blocks("```\nnever closed"), [{ code: "never closed" }]);
  });

  it("Markdown parses the longest message in milliseconds, whatever it contains", () => {
    const parts = [
      "**a ",
      "*a _a ",
      "[a](",
      "[",
      "`",
      "- ",
      "> ",
      "1. ",
      "https://",
      "<a@",
      "\\",
      "__a**b",
      "```\n",
      "(",
      "  - a\n",
    ];
    for (const part of parts) {
      const before = process.threadCpuUsage();
      readMarkdown(part.repeat(25_000 / part.length));
      const cpuMs = process.threadCpuUsage(before).user / 1000;
      assert.ok(cpuMs < 1_000, `${part}: ${cpuMs} ms`);
    }
  });
});
