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

describe("what becomes of a question", () => {
  it("is more sure of a pair the further the next is behind, and less the more of the question it does not speak of", () => {
    assert.ok(confidenceOf([pair(0.5), pair(0.2)]) > confidenceOf([pair(0.5), pair(0.45)]));
    assert.ok(confidenceOf([pair(0.5, 0.6), pair(0.2)]) < confidenceOf([pair(0.5, 0), pair(0.2)]));
  });

  it("answers, offers or falls back by confidence and score", () => {
    assert.equal(decide(SETTINGS, "meaning", [pair(0.95)]), "direct");
    assert.equal(decide(SETTINGS, "meaning", [pair(0.5), pair(0.3)]), "model");
    assert.equal(decide(SETTINGS, "meaning", [pair(0.35, 0.9), pair(0.3)]), "offer");
    assert.equal(decide(SETTINGS, "meaning", [pair(0.1, 1)]), "fallback");
    assert.equal(decide(SETTINGS, "words", []), "fallback");
  });

  it("offers both of two pairs that are equally near, unless one is the very question", () => {
    assert.equal(decide(SETTINGS, "words", [pair(0.91), pair(0.9)]), "offer");
    assert.equal(decide(SETTINGS, "words", [pair(1), pair(1)]), "direct");
    assert.ok(!isSure([pair(0.91), pair(0.9)]));
  });

  it("follows an operator's own scores", () => {
    const strict = { ...SETTINGS, answerScore: 0.9, directScore: 0.95 };
    assert.equal(decide(strict, "words", [pair(0.85), pair(0.1)]), "offer");
    assert.equal(decide(strict, "words", [pair(0.92)]), "model");
    assert.equal(decide(strict, "words", [pair(0.96)]), "direct");
    assert.equal(decide({ ...SETTINGS, answerScore: 0.3 }, "words", [pair(0.31, 1), pair(0.3)]), "model");
  });

  it("offers three questions at most, none that is far off", () => {
    const pairs = [pair(0.5), pair(0.4), pair(0.3), pair(0.25), pair(0.01)];
    assert.deepEqual(
      offersOf("words", pairs).map(({ score }) => score),
      [0.5, 0.4, 0.3],
    );
    assert.deepEqual(offersOf("words", [pair(0.05)]), []);
  });

  it("asks no encoder where words are sure", () => {
    assert.ok(isSure([pair(0.9), pair(0.3)]));
    assert.ok(!isSure([pair(0.5), pair(0.45)]));
    assert.ok(!isSure([]));
  });
});
