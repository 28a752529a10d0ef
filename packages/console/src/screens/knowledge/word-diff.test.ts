import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffWords } from "./word-diff.ts";

describe("diff of two versions", () => {
  const shown = (before: string, after: string) =>
    diffWords(before, after)
      .map(({ kind, text }) => (kind === "same" ? text : kind === "added" ? `{+${text}}` : `{-${text}}`))
      .join("");

  it("the diff shows the changed words and leaves the others alone", () => {
    assert.equal(shown("At ten, on Sundays.", "At noon, on Sundays."), "At {-ten}{+noon}, on Sundays.");
    assert.equal(shown("Yes.", "Yes, always."), "Yes{+, always}.");
    assert.equal(shown("", "New"), "{+New}");
    assert.equal(shown("Same", "Same"), "Same");
  });

  it("the diff shows characters in scripts without spaces", () => {
    assert.equal(shown("九点开门", "十点开门"), "{-九}{+十}点开门");
  });

  it("the diff shows both texts whole where comparing would take too long", () => {
    const [before, after] = ["a ".repeat(4_000), "b ".repeat(4_000)];
    assert.deepEqual(
      diffWords(before, after).map(({ kind }) => kind),
      ["removed", "added", "same"],
    );
  });
});
