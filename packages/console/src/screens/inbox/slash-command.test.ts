import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replaceCommand, slashCommandAt } from "./slash-command.ts";

describe("canned replies by a slash", () => {
  it("a slash at the beginning or behind a space begins a command, one inside a word does not", () => {
    assert.deepEqual(slashCommandAt("/ho", 3), { query: "ho", start: 0, end: 3 });
    assert.deepEqual(slashCommandAt("Hello\n/", 7), { query: "", start: 6, end: 7 });
    for (const text of ["and/or", "https://shop.example/a", "/hours and more", "", "1/2"])
      assert.equal(slashCommandAt(text, text.length), undefined, text);
  });

  it("the command ends at the caret and not at the end of the text", () => {
    assert.deepEqual(slashCommandAt("/hours later", 3), { query: "ho", start: 0, end: 3 });
  });

  it("a chosen reply takes the place of the command and leaves the rest", () => {
    const text = "Hello, /ho Bye.";
    const command = slashCommandAt(text, 10);
    assert.ok(command);
    assert.deepEqual(replaceCommand(text, command, "We open at nine."), {
      text: "Hello, We open at nine. Bye.",
      caret: 23,
    });
  });
});
