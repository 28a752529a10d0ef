import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noAnswersAfter } from "./answer-outcome.ts";

describe("questions in a row without an answer", () => {
  it("grow by one without an answer, begin anew with an answer or an offer, and stay with small talk", () => {
    assert.equal(noAnswersAfter(1, { outcome: "unanswered" }), 2);
    assert.equal(noAnswersAfter(1, { outcome: "answered" }), 0);
    assert.equal(noAnswersAfter(1, { outcome: "offered" }), 0);
    assert.equal(noAnswersAfter(1, { outcome: "small_talk" }), 1);
  });
});
