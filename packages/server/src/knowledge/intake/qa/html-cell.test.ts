import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { literalCell } from "@signalbox/contract";
import fc from "fast-check";
import { readHtmlCell } from "./html-cell.ts";

const markdownOf = (html: string) => readHtmlCell(html, "markdown")?.text;
const leftOf = (html: string) => [...(readHtmlCell(html, "markdown")?.left ?? [])];

describe("HTML in cells", () => {
  const converted: [what: string, html: string, markdown: string][] = [
    ["paragraphs", "<p>One</p>\n  <p>Two\nthree</p>", "One\n\nTwo three"],
    ["line breaks", "One<br>Two<br/>Three", "One\nTwo\nThree"],
    [
      "bold and italic",
      "<p>For <strong>refunds </strong>and<em> more</em>.</p>",
      "For **refunds** and *more*.",
    ],
    ["bold within bold", "<p><b>one <strong>two</strong></b> three</p>", "**one two** three"],
    ["bold over a line break", "<p><b>one<br>two</b></p>", "**one**\n**two**"],
    ["bold over paragraphs", "<b><p>one</p><p>two</p></b>", "**one**\n\n**two**"],
    ["bold around nothing", "<p>a<b> </b>b<strong></strong></p>", "a b"],
    ["a link", '<a href="https://e.org/a?b=1&amp;c=2">here</a>', "[here](https://e.org/a?b=1&c=2)"],
    ["a link that shows its address", '<a href="https://e.org/a">https://e.org/a</a>', "https://e.org/a"],
    ["a link with brackets", '<a href="https://e.org/a_(b)">[x]</a>', "[(x)](https://e.org/a_%28b%29)"],
    ["a mail address", '<a href="mailto:a@e.org">a@e.org</a>', "a@e.org"],
    ["a link in bold", '<p><b><a href="https://e.org">x</a></b></p>', "**[x](https://e.org)**"],
    ["headings", "<h2><strong>Refunds</strong></h2><p>Text</p>", "## Refunds\n\nText"],
    ["a list", "<p>So:</p><ul><li>a</li><li><p>b</p></li></ul><p>c</p>", "So:\n\n- a\n- b\n\nc"],
    ["an ordered list", '<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"],
    ["lists within lists", "<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", "- a\n   1. b\n- c"],
    ["a quote", "<blockquote><p>a<br>b</p></blockquote>", "> a\n> b"],
    ["code", "<p>Run <code>npm i</code></p><pre>a\n  b</pre>", "Run `npm i`\n\n```\na\n  b\n```"],
    [
      "a table",
      "<table><thead><tr><th>Plan</th><th>Price</th></tr></thead><tbody><tr><td>A|B</td><td><p>9</p><p>€</p></td></tr></tbody></table>",
      "| Plan | Price |\n| --- | --- |\n| A\\|B | 9 € |",
    ],
    ["a table that lays out", "<table><tr><td><p>One</p><p>Two</p></td></tr></table>", "One\n\nTwo"],
    ["entities", "<p>Tom &amp; Jerry&nbsp;&lt;3 &#8364;&#x1F600; &uuml;</p>", "Tom & Jerry <3 €😀 ü"],
    ["entities without tags", "Tom &amp; Jerry\n  indented&nbsp;x", "Tom & Jerry\n  indented x"],
    ["scripts and styles", "<style>p{}</style><p>a</p><script>alert('<p>x</p>')</script>", "a"],
    [
      "spans, fonts and attributes",
      '<div style="x"><span class="wysiwyg">a</span> <font>b</font></div>',
      "a b",
    ],
    [
      "an image on the web",
      '<img src="https://e.org/a.png" alt="The form">',
      "[The form](https://e.org/a.png)",
    ],
    ["text with a few tags", "# Title\n\n- one\n- two <b>bold</b>", "# Title\n\n- one\n- two **bold**"],
    ["unclosed elements", "<p>a<p>b <b>c", "a\n\nb **c**"],
  ];
  for (const [what, html, markdown] of converted)
    it(`HTML in a cell becomes Markdown: ${what}`, () => assert.equal(markdownOf(html), markdown));

  const kept = [
    "At nine.",
    "a < b and c > d",
    "5 <6</7>",
    "Use the <b> tag.",
    "Write `<p>x</p>` around it.",
    "**bold** and\n\n- a list",
    "R&D; AT&T; a&b=c",
    "<https://e.org/a>",
    "Name <ada@e.org>",
    "<YOUR_KEY>",
  ];
  for (const cell of kept)
    it(`a cell without HTML stays as it is: ${cell}`, () =>
      assert.equal(readHtmlCell(cell, "markdown"), undefined));

  it("a question in HTML becomes plain text", () => {
    const html = "<p>How do I <strong>pay</strong> by <a href='https://e.org'>card</a> &amp; cash?</p>";
    assert.equal(readHtmlCell(html, "text")?.text, "How do I pay by card & cash?");
  });

  it("what Markdown has no place for is counted by name", () => {
    assert.deepEqual(
      leftOf(
        '<p>a</p><iframe src="https://e.org"></iframe><video></video><img src="data:x"><img src="/a.png"><input type="hidden"><a href="/b">c</a><table><tr><td colspan="2">x</td></tr></table>',
      ),
      [
        ["embedded page", 1],
        ["video", 1],
        ["image", 2],
        ["link without a whole address", 1],
        ["table cells that were joined", 1],
      ],
    );
    assert.deepEqual(leftOf('<p>a <a href="#top">b</a></p>'), []);
  });

  it("a link that would run a script keeps its text alone", () => {
    for (const href of ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x"])
      assert.equal(markdownOf(`<p><a href="${href}">x</a></p>`), "x");
  });

  it("converting again changes nothing", () => {
    for (const [, html] of converted) {
      const once = markdownOf(html)!;
      assert.equal(readHtmlCell(once, "markdown"), undefined, once);
    }
  });

  it("a cell of an export is read as the text it was written from, whatever that looks like", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "<b>",
        "</b>",
        "<br>",
        "<p ",
        "<",
        ">",
        "&",
        "&amp;",
        "&lt;",
        "&#60;",
        "&nbsp;",
        "`",
        "\n",
        "AT&T",
      ),
      fc.string({ maxLength: 4 }),
    );
    const texts = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(texts, fc.constantFrom("markdown", "text"), (text, as) => {
        const cell = literalCell(text);
        assert.equal(readHtmlCell(cell, as)?.text ?? cell, text);
      }),
      { numRuns: 5_000 },
    );
  });
});
