import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { INTAKE_LIMITS } from "../limits.ts";
import { readMarkdown } from "./markdown-blocks.ts";
import { isQuestion } from "./question.ts";
import { findQuestions } from "./question-structure.ts";
import { sectionsOf, textOf } from "./sections.ts";

function find(source: string) {
  const { pairs, rest } = findQuestions(sectionsOf(readMarkdown(source)), INTAKE_LIMITS);
  return {
    pairs: pairs.map(({ question, answer }) => [question, answer]),
    rest: rest.map(({ path, blocks }) => `${path.join(" › ")}: ${textOf(blocks)}`),
  };
}

describe("question detection", () => {
  it("a question is recognised in many languages, with and without a question mark", () => {
    for (const title of [
      "What is this?",
      "1.2. How to install it",
      "OK, now I know what it is... what is Linux?!",
      "Wie öffne ich die Tür",
      "Pourquoi choisir cela ?",
      "¿Cómo se hace?",
      "Как это работает",
      "如何重置密码",
      "可以退款吗",
      "パスワードをリセットする方法は",
      "비밀번호를 바꿀 수 있나요",
      "Πώς αλλάζω τον κωδικό;",
      "كيف أعيد تعيين كلمة المرور؟",
      "Why so? And what then.",
    ])
      assert.ok(isQuestion(title), title);
  });

  it("a heading that only begins like a question word is no question", () => {
    for (const title of [
      "Whatsapp",
      "Contents",
      "Howard's end",
      "Installation;",
      "Mailing lists",
      "2.1 Wiener Straße",
    ])
      assert.ok(!isQuestion(title), title);
  });
});

describe("questions of a document", () => {
  it("a heading that asks and the text below it become a pair, word for word", () => {
    const { pairs, rest } = find(
      "# FAQ\n\nHello.\n\n## 1. Do you ship?\n\nYes, *everywhere*.\n\n- by post\n\n## Contact\n\nWrite to us.\n",
    );
    assert.deepEqual(pairs, [["Do you ship?", "Yes, *everywhere*.\n\n- by post"]]);
    assert.deepEqual(rest, ["FAQ: Hello.", "FAQ › Contact: Write to us."]);
  });

  it("an answer includes its subheadings, which stay sections of their own", () => {
    const { pairs, rest } = find(
      "## How do I pay?\n\nLike this:\n\n### By card\n\nPut it in.\n\n### Can I pay later?\n\nNo.\n\n### By cash\n\nDo.\n",
    );
    assert.deepEqual(pairs, [
      ["How do I pay?", "Like this:\n\nBy card\n\nPut it in."],
      ["Can I pay later?", "No."],
    ]);
    assert.deepEqual(rest, ["How do I pay? › By card: Put it in.", "How do I pay? › By cash: Do."]);
  });

  it("a question heading without text is answered by its subheadings", () => {
    assert.deepEqual(find("## How do I pay?\n\n### By card\n\nPut it in.\n\n### By cash\n\nDo.\n").pairs, [
      ["How do I pay?", "By card\n\nPut it in.\n\nBy cash\n\nDo."],
    ]);
  });

  it("lines labelled as question and answer are read in many languages", () => {
    for (const [asks, answers] of [
      ["Q:", "A:"],
      ["**Q1:**", "**A1:**"],
      ["Question 2.", "Answer 2."],
      ["问：", "答："],
      ["Frage:", "Antwort:"],
      ["В:", "О:"],
    ]) {
      const { pairs } = find(
        `Hello.\n\n${asks} Do you ship\neverywhere?\n${answers} Yes.\nIn Q3 2024 too.\n\nMore.\n\n${asks} When?\n${answers} Now.\n`,
      );
      assert.deepEqual(
        pairs,
        [
          ["Do you ship everywhere?", "Yes.\nIn Q3 2024 too.\n\nMore."],
          ["When?", "Now."],
        ],
        asks,
      );
    }
  });

  it("several lines that ask become pairs, and a single one does not", () => {
    assert.deepEqual(find("Do you ship?\n\nYes.\n\nWhen?\n\nNow.\n\nSoon.\n").pairs, [
      ["Do you ship?", "Yes."],
      ["When?", "Now.\n\nSoon."],
    ]);
    assert.deepEqual(find("We thought long.\n\nWas it worth it?\n\nIt was.\n").pairs, []);
  });

  it("bold headings that ask become pairs, and questions inside answers stay there", () => {
    assert.deepEqual(find("**Do you ship?**\n\nYes.\n\n**How much is it**\n\nFive.\n").pairs, [
      ["Do you ship?", "Yes."],
      ["How much is it", "Five."],
    ]);
    assert.equal(find("# Do you ship?\n\nWhy not?\n\nIs it far?\n\nNo.\n").pairs.length, 1);
  });

  it("a pair that a page repeats is kept once", () => {
    const { pairs } = find(
      "# Do you ship?\n\nYes, we do.\n\n# Do you ship\n\nYes, we\ndo.\n\n# Do you ship?\n\nNo.\n",
    );
    assert.deepEqual(pairs, [
      ["Do you ship?", "Yes, we do."],
      ["Do you ship?", "No."],
    ]);
  });

  it("a heading that is too long is text", () => {
    const { rest } = find(`# Guide\n\n# ${"x".repeat(600)}\n\nText.\n`);
    assert.deepEqual(rest, [`Guide: ${"x".repeat(600)}\n\nText.`]);
  });

  it("an answer that is too long stays a section, and an empty heading a line", () => {
    const long = "x ".repeat(INTAKE_LIMITS.answerCharactersMax);
    const { pairs, rest } = find(`# Do you ship?\n\n${long}\n\n# Is that all?\n`);
    assert.deepEqual(pairs, []);
    assert.equal(
      rest.join().replace(/\s/g, "").length,
      `Do you ship?: ${long}Is that all?`.replace(/\s/g, "").length,
    );
  });
});
