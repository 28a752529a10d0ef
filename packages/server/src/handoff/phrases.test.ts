import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asksForPerson } from "./phrases.ts";
import { triggerOf, type TurnFacts } from "./triggers.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

const asks = (text: string, phrases = {}) => asksForPerson(text, { phrases });

describe("a request for a person", () => {
  it("is understood in English and Chinese, whatever the case, width and spaces", () => {
    for (const text of [
      "I want to talk to a human",
      "Can I SPEAK  TO A PERSON, please?",
      "human please!",
      "give me a real person",
      "转人工",
      "请帮我转人工，谢谢",
      "我要找人工客服",
      "ｈｕｍａｎ ａｇｅｎｔ",
    ])
      assert.ok(asks(text), text);
  });

  it("is not read into what only sounds like it", () => {
    for (const text of [
      "What is a humane policy?",
      "I don't want to talk to a human",
      "no need to speak to a person",
      "不要转人工",
      "我不想找人工客服",
      "When do you open?",
      `Our shop has ${"very ".repeat(80)}friendly staff and sells a human agent costume`,
    ])
      assert.ok(!asks(text), text);
  });

  it("is what the agent's own list says, where it has one", () => {
    assert.ok(asks("Operator!", { en: ["operator"] }));
    assert.ok(!asks("cooperator", { en: ["operator"] }));
    assert.ok(!asks("talk to a human", { en: [] }));
    assert.ok(asks("转人工", { en: [] }));
  });
});

describe("a turn of the agent", () => {
  const facts: TurnFacts = {
    seq: 9,
    text: "When do you open?",
    noAnswers: 0,
    modelAsks: false,
    quietSeq: 4,
    isQuiet: false,
  };
  const trigger = (changes: Partial<TurnFacts>, settings = {}) =>
    triggerOf({ ...facts, ...changes }, { ...DEFAULT_SETTINGS, ...settings });

  it("asks for a person by phrase, by the model's tool, or after so many questions without an answer", () => {
    assert.equal(trigger({}), undefined);
    assert.equal(trigger({ text: "human please" }), "phrase");
    assert.equal(trigger({ modelAsks: true }), "model");
    assert.equal(trigger({ noAnswers: 2 }), undefined);
    assert.equal(trigger({ noAnswers: 3 }), "no_answer");
    assert.equal(trigger({ noAnswers: 30 }, { no_answer_limit: null }), undefined);
  });

  it("asks for none by itself a while after one was there, though the user may", () => {
    assert.equal(trigger({ isQuiet: true, noAnswers: 5, modelAsks: true }), undefined);
    assert.equal(trigger({ isQuiet: true, text: "human please" }), "phrase");
  });

  it("takes nothing that was said before the last handoff ended for a new request", () => {
    assert.equal(trigger({ seq: 4, text: "human please", noAnswers: 5 }), undefined);
  });
});
