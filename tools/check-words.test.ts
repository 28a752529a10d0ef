import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findOldWords, isLookedAt } from "./check-words.ts";

describe("check of old words", () => {
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

  it("history and binary files are not checked for old words, all other text is", () => {
    assert.equal(isLookedAt("CHANGELOG.md"), false);
    assert.equal(isLookedAt("packages/server/migrations/0012_handoffs.sql"), false);
    assert.equal(isLookedAt("docs/adr/0015-one-law-for-a-handoff.md"), false);
    assert.equal(isLookedAt("docs/explanation/handoff.md"), true);
    assert.equal(isLookedAt("packages/server/src/handoff/index.ts"), true);
    assert.equal(isLookedAt("packages/server/encoder/use-lite-en.int8"), false);
  });
});
