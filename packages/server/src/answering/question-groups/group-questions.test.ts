import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { groupQuestions } from "./group-questions.ts";

const asked = (...questions: string[]) =>
  questions.map((question, at) => ({ id: `q${String(at).padStart(4, "0")}`, question, asked: 1 }));
const groupsOf = async (questions: Parameters<typeof groupQuestions>[0]) =>
  (await groupQuestions(questions)).map((members) => members.map(({ question }) => question));

describe("grouping unanswered questions", () => {
  it("questions with the same telling words, their synonyms or slips of spelling are one group", async () => {
    assert.deepEqual(
      await groupsOf(
        asked(
          "Where is my parcel?",
          "Is there a vegan menu?",
          "where is my package",
          "do you have a vegn menu",
          "Where is the toilet?",
        ),
      ),
      [
        ["Where is my parcel?", "where is my package"],
        ["Is there a vegan menu?", "do you have a vegn menu"],
        ["Where is the toilet?"],
      ],
    );
  });

  it("questions with a telling word of their own each are apart, however alike they are built", async () => {
    const questions = asked("How do I return a parcel?", "How do I track a parcel?").map((question) => ({
      ...question,
      vector: [1, 0],
    }));
    assert.equal((await groupsOf(questions)).length, 2);
  });

  it("questions in Chinese are grouped by the characters they share", async () => {
    assert.deepEqual(await groupsOf(asked("可以带宠物吗？", "几点关门？", "请问可以带宠物吗")), [
      ["可以带宠物吗？", "请问可以带宠物吗"],
      ["几点关门？"],
    ]);
  });

  it("questions of common words alone are not one group", async () => {
    assert.equal((await groupsOf(asked("How can I?", "What is it?"))).length, 2);
  });

  it("the question asked most leads its group, whatever the order they come in", async () => {
    const questions = asked("vegan menu?", "Is there a vegan menu?", "a vegan menu").map((question, at) => ({
      ...question,
      asked: at === 1 ? 5 : 1,
    }));
    const expected = await groupsOf(questions);
    assert.equal(expected[0]?.[0], "Is there a vegan menu?");
    assert.deepEqual(await groupsOf(questions.toReversed()), expected);
  });

  it("questions with near vectors are one group without a word in common", async () => {
    const [one, other, third] = asked(
      "Do you tune pianos?",
      "Is the organ in good hands?",
      "Do you ship to Peru?",
    );
    const groups = await groupsOf([
      { ...one!, vector: [1, 0] },
      { ...other!, vector: [0.9, Math.sqrt(1 - 0.81)] },
      { ...third!, vector: [0, 1] },
    ]);
    assert.deepEqual(groups, [
      ["Do you tune pianos?", "Is the organ in good hands?"],
      ["Do you ship to Peru?"],
    ]);
  });

  it("two thousand questions are grouped in less than three seconds", async () => {
    const words = [
      "refund",
      "parcel",
      "invoice",
      "ticket",
      "garden",
      "lift",
      "vegan",
      "parking",
      "zebra",
      "coupon",
    ];
    const questions = asked(
      ...Array.from(
        { length: 2_000 },
        (_, at) => `What about ${words[at % 10]} number ${at} and ${words[(at * 7) % 10]}?`,
      ),
    ).map((question, at) => ({
      ...question,
      ...(at < 200 && { vector: Array.from({ length: 512 }, (_, place) => Math.sin(at * place) / 16) }),
    }));
    const began = performance.now();
    await groupQuestions(questions);
    atMost(performance.now() - began, 3_000, "two thousand questions are grouped");
  });
});
