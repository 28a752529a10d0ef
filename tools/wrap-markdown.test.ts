import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTooLong, LINE_MAX, wrapMarkdown } from "./wrap-markdown.ts";

const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
const longest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe("wrapMarkdown", () => {
  it("wrapMarkdown wraps a long paragraph at 120 characters, and a second pass changes nothing", () => {
    const wrapped = wrapMarkdown(`${words(100)}\n${words(3)}`);
    assert.ok(longest(wrapped) <= LINE_MAX);
    assert.equal(wrapped.replaceAll("\n", " "), words(103));
    assert.equal(wrapMarkdown(wrapped), wrapped);
  });

  it("wrapMarkdown leaves short paragraphs, tables, headings and code unchanged", () => {
    const text = `one\ntwo\n\n| ${words(60)} |\n\n# ${words(60)}\n\n\`\`\`\n${words(60)}\n\`\`\`\n`;
    assert.equal(wrapMarkdown(text), text);
  });

  it("wrapMarkdown indents the second line of a list item and keeps items apart", () => {
    const [first = "", second = "", third] = wrapMarkdown(`1. ${words(30)}\n2. short`).split("\n");
    assert.match(first, /^1\. word/);
    assert.match(second, /^ {3}word/);
    assert.equal(third, "2. short");
  });

  it("wrapMarkdown breaks neither a code span nor a link", () => {
    const parts = ["`npm run bench -- delivery`", "[two words](docs/a.md)"];
    for (const part of parts)
      for (let before = 18; before < 26; before += 1)
        assert.ok(wrapMarkdown(`${words(before)} ${part} ${words(9)}`).includes(part));
  });

  it("wrapMarkdown begins no line with a list marker", () => {
    const wrapped = wrapMarkdown(`${words(23)} wor - ${words(20)} 12. ${words(20)}`);
    assert.doesNotMatch(wrapped, /^(-|12\.)/m);
  });

  it("wrapMarkdown breaks Chinese after punctuation, without a blank when lines are joined", () => {
    const sentence = "智能体会回答用户的问题，";
    const wrapped = wrapMarkdown(sentence.repeat(20));
    assert.ok(longest(wrapped) <= LINE_MAX);
    assert.equal(wrapped.replaceAll("\n", ""), sentence.repeat(20));
    assert.equal(wrapMarkdown(`${wrapped}${sentence.repeat(10)}`).replaceAll("\n", ""), sentence.repeat(30));
  });
});

describe("isTooLong", () => {
  it("isTooLong accepts a line that has no place to break", () => {
    assert.equal(isTooLong(`- ${"x".repeat(200)}`), false);
    assert.equal(isTooLong(words(30)), true);
  });
});
