import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findOldWords, isLookedAt } from "./check-words.ts";

describe("the check of old words", () => {
  it("finds an old name with its line and what to use instead", () => {
    assert.deepEqual(findOldWords("const a = 1;\nconst scene = await openScene(db);"), [
      { line: 2, word: "openScene", instead: "lockConversation" },
    ]);
  });

  it("finds an old sentence within another", () => {
    assert.equal(findOldWords("Sorry. No person is free right now.").length, 1);
  });

  it("leaves a longer name that only begins with an old one", () => {
    assert.deepEqual(findOldWords("reopenScene(); openSceneries(); leadership.tsx"), []);
  });

  it("leaves history alone, and looks at everything else that is text", () => {
    assert.equal(isLookedAt("CHANGELOG.md"), false);
    assert.equal(isLookedAt("packages/server/migrations/0012_handoffs.sql"), false);
    assert.equal(isLookedAt("docs/adr/0015-one-law-for-a-handoff.md"), false);
    assert.equal(isLookedAt("docs/explanation/handoff.md"), true);
    assert.equal(isLookedAt("packages/server/src/handoff/index.ts"), true);
    assert.equal(isLookedAt("packages/server/encoder/use-lite-en.int8"), false);
  });
});
