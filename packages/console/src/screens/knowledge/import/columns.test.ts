import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chosenColumns, roleOf, withRole } from "./columns.ts";

const FOUND = { question: 1, answer: 2, alternates: [4], tags: null };

describe("chosen columns", () => {
  it("the columns of question and answer can be swapped", () => {
    assert.deepEqual(withRole(FOUND, 2, "question"), { ...FOUND, question: 2, answer: 1 });
  });

  it("a column chosen as the answer is no longer an alternate", () => {
    assert.deepEqual(withRole(FOUND, 4, "answer"), { ...FOUND, answer: 4, alternates: [] });
  });

  it("one column holds the tags, until it is chosen for something else", () => {
    const tagged = withRole(withRole(FOUND, 3, "tags"), 4, "tags");
    assert.deepEqual(tagged, { question: 1, answer: 2, alternates: [], tags: 4 });
    assert.deepEqual(
      [3, 4].map((column) => roleOf(tagged, column)),
      ["ignored", "tags"],
    );
    assert.equal(withRole(tagged, 4, "alternates").tags, null);
  });

  it("the question column stays until another one replaces it", () => {
    assert.deepEqual(withRole(FOUND, 1, "ignored"), FOUND);
  });

  it("columns are chosen one after the other, and sent when question and answer are there", () => {
    const none = { ...FOUND, question: null, answer: null };
    const asked = withRole(none, 3, "question");
    assert.equal(chosenColumns(asked), undefined);
    assert.deepEqual(chosenColumns(withRole(asked, 1, "answer")), { ...FOUND, question: 3, answer: 1 });
  });

  it("several columns can be chosen as alternates", () => {
    const chosen = withRole(FOUND, 3, "alternates");
    assert.deepEqual(chosen.alternates, [3, 4]);
    assert.deepEqual(
      [1, 2, 3, 5].map((column) => roleOf(chosen, column)),
      ["question", "answer", "alternates", "ignored"],
    );
    assert.deepEqual(withRole(chosen, 4, "ignored").alternates, [3]);
  });
});
