import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FoundPair } from "../knowledge/index.ts";
import { confidenceOf, decide, isSure, offersOf } from "./decision.ts";

const SETTINGS = {
  name: "n",
  language: "en",
  fallbackText: undefined,
  directScore: undefined,
  answerScore: undefined,
  smallTalk: undefined,
  synonyms: [] as string[][],
} as const;

function pair(score: number, unsupported = 0): FoundPair {
  return {
    knowledgeBaseId: "b",
    documentId: "d",
    revision: 1,
    ordinal: 1,
    question: `scored ${score}`,
    answer: "a",
    score,
    unsupported,
    parts: { question: 0, trigram: 0, answer: 0, lexical: 0, semantic: undefined },
  };
}

describe("answer decision", () => {
  it("confidence grows with the lead over the next pair and falls with uncovered words of the question", () => {
    assert.ok(confidenceOf("words", [pair(0.5), pair(0.2)]) > confidenceOf("words", [pair(0.5), pair(0.45)]));
    assert.ok(
      confidenceOf("words", [pair(0.5, 0.6), pair(0.2)]) < confidenceOf("words", [pair(0.5, 0), pair(0.2)]),
    );
  });

  it("confidence and score decide between answer, offer and fallback", () => {
    assert.equal(decide(SETTINGS, "meaning", [pair(0.95)]), "direct");
    assert.equal(decide(SETTINGS, "meaning", [pair(0.5), pair(0.3)]), "model");
    assert.equal(decide(SETTINGS, "meaning", [pair(0.35, 0.9), pair(0.3)]), "offer");
    assert.equal(decide(SETTINGS, "meaning", [pair(0.1, 1)]), "fallback");
    assert.equal(decide(SETTINGS, "words", []), "fallback");
  });

  it("two equally near pairs are both offered, unless one is the exact question", () => {
    assert.equal(decide(SETTINGS, "words", [pair(0.91), pair(0.9)]), "offer");
    assert.equal(decide(SETTINGS, "words", [pair(1), pair(1)]), "direct");
    assert.ok(!isSure([pair(0.91), pair(0.9)]));
  });

  it("the decision follows the operator's own thresholds", () => {
    const strict = { ...SETTINGS, answerScore: 0.9, directScore: 0.95 };
    assert.equal(decide(strict, "words", [pair(0.85), pair(0.1)]), "offer");
    assert.equal(decide(strict, "words", [pair(0.92)]), "model");
    assert.equal(decide(strict, "words", [pair(0.96)]), "direct");
    assert.equal(decide({ ...SETTINGS, answerScore: 0.3 }, "words", [pair(0.31, 1), pair(0.3)]), "model");
  });

  it("a likelihood alone decides, however near the next pair is and whatever the pair is silent about", () => {
    assert.equal(decide(SETTINGS, "likelihood", [pair(0.95, 1), pair(0.93)]), "direct");
    assert.equal(decide(SETTINGS, "likelihood", [pair(0.85, 1), pair(0.7)]), "model");
    assert.equal(decide(SETTINGS, "likelihood", [pair(0.5), pair(0.49)]), "offer");
    assert.equal(offersOf("likelihood", [pair(0.5, 1), pair(0.1, 1), pair(0.02)]).length, 2);
  });

  it("nothing is offered where it is unlikely that any pair is meant, and three unlikely pairs are", () => {
    assert.equal(decide(SETTINGS, "likelihood", [pair(0.1), pair(0.02)]), "fallback");
    assert.equal(decide(SETTINGS, "likelihood", [pair(0.1), pair(0.06), pair(0.05)]), "offer");
  });

  it("glosses offer and never answer, whatever an operator's own score is", () => {
    for (const settings of [SETTINGS, { ...SETTINGS, answerScore: 0.5 }]) {
      assert.equal(decide(settings, "glosses", [pair(1)]), "offer");
      assert.equal(decide(settings, "glosses", [pair(0.2)]), "fallback");
    }
  });

  it("at most three questions are offered, and none far below the best", () => {
    const pairs = [pair(0.5), pair(0.4), pair(0.3), pair(0.25), pair(0.01)];
    assert.deepEqual(
      offersOf("words", pairs).map(({ score }) => score),
      [0.5, 0.4, 0.3],
    );
    assert.deepEqual(offersOf("words", [pair(0.05)]), []);
  });

  it("the encoder is not called when the word search is sure", () => {
    assert.ok(isSure([pair(0.9), pair(0.3)]));
    assert.ok(!isSure([pair(0.5), pair(0.45)]));
    assert.ok(!isSure([]));
  });
});
