import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chosenQuestion, mayChoose } from "./suggestions.ts";

describe("choice from offered questions", () => {
  const offered = ["How do I return an item?", "When is my refund paid?"];
  for (const [text, at] of [
    ["1", 0],
    [" 2. ", 1],
    ["#2", 1],
    ["option 1", 0],
    ["number 2", 1],
    ["２", 1],
    ["第二个", 1],
    ["一", 0],
    ["the second one", 1],
    ["The first.", 0],
    ["second question", 1],
    ["option two", 1],
    ["2nd", 1],
    ["选2", 1],
    ["第二個", 1],
    ["第1条", 0],
  ] as const)
    it(`the message "${text}" chooses an offered question`, () =>
      assert.equal(chosenQuestion(text, offered), offered[at]));

  for (const text of [
    "3",
    "0",
    "12",
    "2 parcels",
    "how about 1?",
    "第二天",
    "one parcel",
    "the second parcel",
    "三天",
  ])
    it(`the message "${text}" chooses no offered question`, () =>
      assert.equal(chosenQuestion(text, offered), undefined));

  it("only a message that could be a choice is looked up as one", () => {
    assert.ok(mayChoose("2"));
    assert.ok(!mayChoose("two parcels"));
  });
});
