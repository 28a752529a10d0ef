import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readHtml } from "./html-blocks.ts";

const texts = (html: string) =>
  readHtml(html).map((block) => (block.kind === "pair" ? block.question : block.text));

describe("reading HTML", () => {
  it("HTML headings are read with their level and paragraphs in order", () => {
    assert.deepEqual(readHtml("<h1>One</h1><p>two <em>three</em></p><h2>Four\n five</h2>six<br>seven"), [
      { kind: "heading", level: 1, text: "One" },
      { kind: "paragraph", text: "two three" },
      { kind: "heading", level: 2, text: "Four five" },
      { kind: "paragraph", text: "six\nseven" },
    ]);
  });

  it("an accordion, a definition that asks and a FAQPage are read as pairs", () => {
    const page = `<details><summary>Do you ship?</summary><p>Yes.</p><ul><li>By post</li></ul></details>
      <dl><dt>What is it?</dt><dd>A thing.</dd><dt>Term</dt><dd>Its meaning.</dd></dl>
      <script type="application/ld+json">{"@graph":[{"@type":"FAQPage","mainEntity":[
        {"@type":"Question","name":"Who are you?","acceptedAnswer":{"@type":"Answer","text":"<p>We &amp; us.</p>"}}]}]}</script>`;
    assert.deepEqual(
      readHtml(page).filter(({ kind }) => kind === "pair"),
      [
        { kind: "pair", question: "Do you ship?", answer: "Yes.\n\n- By post" },
        { kind: "pair", question: "What is it?", answer: "A thing." },
        { kind: "pair", question: "Who are you?", answer: "We & us." },
      ],
    );
    assert.ok(texts(page).includes("Its meaning."));
  });

  it("HTML that is not shown to the reader is left out", () => {
    const page = `<head><title>t</title></head><nav>menu</nav><div class="x toc">list</div><p hidden>no</p>
      <script>var a = "<p>no</p>"</script><style>p{}</style><p>yes</p><div role="navigation">no</div>`;
    assert.deepEqual(texts(page), ["yes"]);
  });

  it("an HTML table is read row by row, and a layout table as text", () => {
    assert.deepEqual(readHtml("<table><tr><th>A<th>B<tr><td>1<p>x</p><td>2</table>after"), [
      { kind: "table", text: "A | B\n1 x | 2" },
      { kind: "paragraph", text: "after" },
    ]);
    assert.deepEqual(texts("<table><tr><td>menu</td><td><h2>Title</h2>text</td></tr></table>"), [
      "menu",
      "Title",
      "text",
    ]);
  });

  it("HTML lists, code and link targets are kept", () => {
    assert.deepEqual(
      texts('<ol><li>a<li>b<ul><li>c</ul></ol><pre>x\n  y</pre><a href="https://e.org/z">here</a>'),
      ["1. a", "2. b", "  - c", "x\n  y", "here (https://e.org/z)"],
    );
  });

  it("an HTML paragraph that is bold throughout is marked", () => {
    const [bold, mixed] = readHtml("<p><strong>All of it?</strong></p><p><b>part</b> of it</p>");
    assert.deepEqual(
      [bold, mixed],
      [
        { kind: "paragraph", text: "All of it?", isBold: true },
        { kind: "paragraph", text: "part of it" },
      ],
    );
    assert.equal(
      readHtml("<table><tr><td><b>x</b><ul><li>y</ul></td></tr></table><p>z").some(
        (block) => "isBold" in block,
      ),
      false,
    );
  });
});

describe("reading hostile HTML", () => {
  const cases: [string, string][] = [
    ["50,000 nested elements", `${"<div>".repeat(50_000)}x${"</div>".repeat(50_000)}`],
    ["as many closed by the wrong tag", "<div>".repeat(50_000) + "</span>".repeat(50_000)],
    ["lists in lists", "<ul><li>".repeat(50_000)],
    ["tables in tables", "<table><tr><td>".repeat(50_000)],
    ["accordions in accordions", "<details><summary>q".repeat(50_000)],
    ["one tag with 200,000 attributes", `<a ${"x=1 ".repeat(200_000)}>`],
    ["a million angle brackets", "<".repeat(1_000_000)],
    ["a million ampersands", "&".repeat(1_000_000)],
  ];
  for (const [what, page] of cases) {
    it(`HTML with ${what} is read in bounded CPU time`, () => {
      const before = process.cpuUsage();
      readHtml(page);
      const { user, system } = process.cpuUsage(before);
      assert.ok(user + system < 3_000_000, `${(user + system) / 1000} ms of CPU`);
    });
  }

  it("the text of any malformed HTML is kept", () => {
    const tag = fc.constantFrom(
      "<p>",
      "</p>",
      "<table>",
      "<tr>",
      "<td>",
      "</table>",
      "<li>",
      "<ul>",
      "</ul>",
      "<b>",
      "</b>",
      "<h2>",
      "</h2>",
      "<details>",
      "<summary>",
      "</summary>",
      "</details>",
      "<dt>",
      "<dd>",
      "<br>",
      "<div>",
      "</div>",
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            tag,
            fc.integer({ min: 100, max: 999 }).map((word) => ` w${word} `),
          ),
          { maxLength: 60 },
        ),
        (parts) => {
          const words = parts.filter((part) => part.startsWith(" w")).map((part) => part.trim());
          const read = readHtml(parts.join(""))
            .map((block) => (block.kind === "pair" ? `${block.question} ${block.answer}` : block.text))
            .join(" ");
          const found = read.match(/w\d{3}/g) ?? [];
          assert.deepEqual(found.toSorted(), words.toSorted());
        },
      ),
      { numRuns: 500 },
    );
  });
});
