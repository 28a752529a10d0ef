import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noAnswersAfter } from "./answer-outcome.ts";

describe("unanswered questions in a row", () => {
  it("the count of unanswered questions grows without an answer, resets with an answer or offer, and ignores small talk", () => {
    assert.equal(noAnswersAfter(1, { outcome: "unanswered" }), 2);
    assert.equal(noAnswersAfter(1, { outcome: "answered" }), 0);
    assert.equal(noAnswersAfter(1, { outcome: "offered" }), 0);
    assert.equal(noAnswersAfter(1, { outcome: "small_talk" }), 1);
  });
});
