import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_SETTINGS } from "../settings/agent-settings.ts";
import { triggerOf, type TurnFacts } from "./triggers.ts";

describe("handoff triggers", () => {
  const facts: TurnFacts = {
    seq: 9,
    text: "When do you open?",
    isAnswered: undefined,
    noAnswers: 0,
    modelAsks: false,
    quietSeq: 4,
    isQuiet: false,
  };
  const trigger = (changes: Partial<TurnFacts>, settings = {}) =>
    triggerOf({ ...facts, ...changes }, { ...DEFAULT_SETTINGS, ...settings });

  it("a handoff is triggered by a phrase, by the model's tool, or by several questions without an answer", () => {
    assert.equal(trigger({}), undefined);
    assert.equal(trigger({ text: "human please" }), "phrase");
    assert.equal(trigger({ modelAsks: true }), "model");
    assert.equal(trigger({ noAnswers: 2 }), undefined);
    assert.equal(trigger({ noAnswers: 3 }), "no_answer");
    assert.equal(trigger({ noAnswers: 30 }, { no_answer_limit: null }), undefined);
  });

  it("a clear request triggers a handoff at once, a possible one only when knowledge has no answer", () => {
    assert.equal(trigger({ text: "agent please" }), "phrase");
    for (const text of ["customer service", "有人工客服吗"]) {
      assert.equal(trigger({ text }), undefined, "the agent is asked first");
      assert.equal(trigger({ text, isAnswered: true }), undefined);
      assert.equal(trigger({ text, isAnswered: false }), "phrase");
    }
    for (const text of ["人工服务时间?", "When are your agents available?"])
      for (const isAnswered of [undefined, true, false])
        assert.equal(trigger({ text, isAnswered }), undefined);
  });

  it("only the user's own request triggers a handoff during the quiet time after one", () => {
    assert.equal(trigger({ isQuiet: true, noAnswers: 5, modelAsks: true }), undefined);
    assert.equal(trigger({ isQuiet: true, text: "human please" }), "phrase");
  });

  it("a message from before the end of the last handoff triggers no new one", () => {
    assert.equal(trigger({ seq: 4, text: "human please", noAnswers: 5 }), undefined);
  });
});
