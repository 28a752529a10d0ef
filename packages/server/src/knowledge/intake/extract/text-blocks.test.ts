import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPlainText } from "./text-blocks.ts";

const headings = (source: string) =>
  readPlainText(source).flatMap((block) =>
    block.kind === "heading" ? [`${block.level} ${block.text}`] : [],
  );

describe("reading plain text", () => {
  it("a numbered heading in plain text is recognised, also over several lines", () => {
    const source =
      "Chapter 2. Getting it\n\n2.1. What is the latest\nversion of it?\n\n    Text.\n\n2.1.1 Notes\n\n    More.\n";
    assert.deepEqual(
      headings(source),
      ["1 Chapter 2. Getting it", "3 2.1.1 Notes", "2 2.1. What is the latest version of it?"].toSorted(
        (one, other) => source.indexOf(one.slice(2, 9)) - source.indexOf(other.slice(2, 9)),
      ),
    );
  });

  it("lists and tables of contents in plain text are no headings", () => {
    assert.deepEqual(
      headings(
        "Table of Contents\n\n1. One\n  1.1. Two\n2. Three\n\n1. Open the box.\n\n2. Take it out.\n\nThat is all.\n",
      ),
      [],
    );
  });

  it("underlined, upper-case and asking lines in plain text are headings", () => {
    assert.deepEqual(headings("Title\n=====\ntext\n\nOPENING HOURS\n\nfrom nine\n\nDo you ship?\n\nYes.\n"), [
      "1 Title",
      "3 OPENING HOURS",
      "6 Do you ship?",
    ]);
  });

  it("lines of plain text broken at a margin are joined, and others are kept", () => {
    const wide = "this line was broken at the margin of the page and goes on\nin the next one.";
    assert.deepEqual(
      readPlainText(`${wide}\n\nshort\nlines\n\n* an item that is\n  broken\n* another\n`).map((block) =>
        block.kind === "pair" ? "" : block.text,
      ),
      [wide.replace("\n", " "), "short\nlines", "* an item that is broken\n* another"],
    );
  });

  it("lines are joined without a space in scripts that have none", () => {
    assert.deepEqual(headings("1.1. これは何\nですか？\n\n    答え。\n"), ["2 1.1. これは何ですか？"]);
  });

  it("plain text of a million short lines is read in bounded CPU time", () => {
    const before = process.cpuUsage();
    readPlainText("```\n".repeat(300_000));
    readPlainText("1.1 a\n\n".repeat(100_000));
    assert.ok(process.cpuUsage(before).user < 4_000_000);
  });
});
