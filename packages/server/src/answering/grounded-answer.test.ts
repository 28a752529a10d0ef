import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FoundPair } from "../knowledge/index.ts";
import { checkReply } from "./grounded-answer.ts";

const pair = (question: string, answer: string): FoundPair => ({
  knowledgeBaseId: "base",
  documentId: "document",
  revision: 1,
  ordinal: 0,
  question,
  answer,
  score: 0.6,
  unsupported: 0,
  parts: { question: 0, trigram: 0, answer: 0, lexical: 0, semantic: undefined },
});
const SOURCES = [
  pair("When do you open?", "At 10 on weekdays."),
  pair("What does shipping cost?", "EUR 4.90, free from 50."),
];
const check = (reply: string, question = "When do you open?") => checkReply(reply, question, SOURCES);

describe("a model's answer", () => {
  it("counts with a citation that exists, which the user does not see", () => {
    const checked = check("We open at 10 [1]. Shipping is free from 50 [2][7].");
    assert.deepEqual(checked, {
      kind: "answered",
      text: "We open at 10. Shipping is free from 50.",
      cited: SOURCES,
    });
  });

  it("counts for nothing without a source, or with one that was never given", () => {
    for (const reply of ["We open at 10.", "We open at 10 [3].", "We open at 10 [0]."])
      assert.deepEqual(check(reply), { kind: "unsupported", reason: "no_citation" }, reply);
    assert.deepEqual(check("[1] [2]"), { kind: "unsupported", reason: "empty" });
  });

  it("may name no number that neither a source nor the question has", () => {
    assert.deepEqual(check("We open at 11 [1]."), { kind: "unsupported", reason: "number_not_in_sources" });
    assert.equal(check("Order 77 ships free [2].", "Does order 77 ship free?").kind, "answered");
    assert.equal(check("1. At １０ [1]\n2. From 50 it is free [2]").kind, "answered");
  });

  it("is a no when it says so", () => {
    assert.deepEqual(check("NO_ANSWER"), { kind: "no_answer" });
    assert.deepEqual(check("NO_ANSWER [1]"), { kind: "no_answer" });
  });
});
