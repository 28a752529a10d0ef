import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkSections, linkSections } from "./section-links.ts";

const link = (text: string) => linkSections("docs/how-to/a.md", text);
const LINK = "[4.5](../reference/api/4.5-deliver-message.md)";
const specification = "# The specification\n## 4.5 Deliver a message\n## 5 Authentication\n";
const problemsOf = (text: string, file = "docs/how-to/a.md") =>
  checkSections(file, text, specification).map((found) => `${found.line}: ${found.text}`);

describe("mentions of sections", () => {
  it("the first mention of a section becomes a link to its page, in a table or a sentence", () => {
    assert.equal(link("(4.5) and 4.5"), `(${LINK}) and 4.5`);
    assert.equal(link("| 4.10 | x |"), "| [4.10](../reference/api/4.10-close-by-human.md) | x |");
    assert.equal(link(`see ${LINK}\nand 4.5`), `see ${LINK}\nand 4.5`);
  });

  it("a number that is no mention stays as it is", () => {
    const text = '# 4.5\n`4.5` "4.5 is sent" *4.5 is sent* 4.5 ms 4.5 % 4.55 1.4.5 v4.5 14.5\n```\n4.5\n```';
    assert.equal(link(text), text);
    const own = "4.5 is this page";
    assert.equal(linkSections("docs/reference/api/4.5-deliver-message.md", own), own);
  });

  it("a mention without a link, or of a section that is not there, is a problem", () => {
    assert.deepEqual(problemsOf("a\n(4.5)"), [`2: the section has no link: write ${LINK}`]);
    assert.deepEqual(problemsOf("section 5.3"), [
      "1: the specification has no section 5.3: correct the number",
    ]);
    assert.deepEqual(problemsOf(`section ${LINK}, section 5`), []);
    assert.deepEqual(problemsOf("(4.5)", "docs/adr/0001-a.md"), []);
  });
});
