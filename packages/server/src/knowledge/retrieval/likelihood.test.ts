import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Candidate } from "./candidates.ts";
import { likelihoodsOf, logOddsOf } from "./likelihood.ts";

const NO_WORDS = { question: 0, trigram: 0, answer: 0, lexical: 0, unsupported: 1 };

function candidate(questionCosine?: number, answerCosine?: number, pairCosine?: number): Candidate {
  return {
    documentId: "d",
    revision: 1,
    ordinal: 1,
    question: "q",
    alternates: [],
    origin: "written",
    answerStart: "a",
    answerLength: 1,
    answerHash: "1",
    questionCosine,
    answerCosine,
    pairCosine,
  };
}

describe("likelihood", () => {
  it("nothing is likely where no pair is near, and all together are never more than certain", () => {
    const [unlikely = 1] = likelihoodsOf([logOddsOf(candidate(0.1, 0.1, 0.1), NO_WORDS) ?? 0]);
    assert.ok(unlikely < 0.01, `${unlikely}`);
    const three = likelihoodsOf([5, 5, 4]);
    assert.ok(three.reduce((sum, one) => sum + one, 0) < 1);
  });

  it("a rival that is as near takes its share", () => {
    const [alone = 0] = likelihoodsOf([3, -9]);
    const [shared = 0] = likelihoodsOf([3, 3]);
    assert.ok(alone > 0.9 && shared < 0.5);
  });

  it("the answer says as much of a pair as its question", () => {
    const byQuestion = logOddsOf(candidate(0.6, 0.3, 0.5), NO_WORDS) ?? 0;
    const byAnswer = logOddsOf(candidate(0.3, 0.6, 0.5), NO_WORDS) ?? 0;
    assert.ok(Math.abs(byQuestion - byAnswer) < 1);
  });

  it("a text that cannot be read is judged by the pair as a whole, and a pair without a vector not at all", () => {
    const whole = logOddsOf(candidate(0.5, 0.5, 0.5), NO_WORDS);
    assert.equal(logOddsOf(candidate(undefined, undefined, 0.5), NO_WORDS), whole);
    assert.equal(logOddsOf(candidate(0.5, undefined, 0.5), NO_WORDS), whole);
    assert.equal(logOddsOf(candidate(), NO_WORDS), undefined);
  });
});
