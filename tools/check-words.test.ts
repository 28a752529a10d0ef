import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findOldWords, findRefusedSentences, isLookedAt } from "./check-words.ts";

describe("check of words", () => {
  it("an old name is found with its line and its replacement", () => {
    assert.deepEqual(findOldWords("const a = 1;\nconst scene = await openScene(db);"), [
      { line: 2, word: "openScene", instead: "lockConversation" },
    ]);
  });

  it("an old sentence is found within another", () => {
    assert.equal(findOldWords("Sorry. No person is free right now.").length, 1);
  });

  it("a longer name that contains an old one passes", () => {
    assert.deepEqual(findOldWords("reopenScene(); openSceneries(); leadership.tsx"), []);
  });

  it("a sentence that begins with Of, whoever and a vague so many are found, each with its line", () => {
    const text = [
      "/** Of two turns one is committed. */",
      "// Told to Whoever asks, whoever's it is.",
      "Waits until so many arrived.",
    ].join("\n");
    assert.deepEqual(
      findRefusedSentences(text).map(({ line, word }) => `${line} ${word}`),
      ["1 Of two", "2 Whoever", "3 so many"],
    );
  });

  it("of within a sentence, Of course and so many that pass", () => {
    const text = ["One of two turns. Of course.", "const isOf = OfRow;", "so many lanes that none is free"];
    assert.deepEqual(findRefusedSentences(text.join("\n")), []);
  });

  it("history and binary files are not checked for old words, all other text is", () => {
    assert.equal(isLookedAt("CHANGELOG.md"), false);
    assert.equal(isLookedAt("packages/server/migrations/0012_handoffs.sql"), false);
    assert.equal(isLookedAt("docs/adr/0015-one-law-for-a-handoff.md"), false);
    assert.equal(isLookedAt("docs/explanation/handoff.md"), true);
    assert.equal(isLookedAt("packages/server/src/handoff/index.ts"), true);
    assert.equal(isLookedAt("packages/server/encoder/minilm-l6-en.int8"), false);
  });
});
