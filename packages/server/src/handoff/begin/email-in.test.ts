import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { emailIn } from "./email-in.ts";

describe("emailIn", () => {
  it("an email address is found anywhere in a message", () => {
    for (const [text, email] of [
      ["ada@example.com", "ada@example.com"],
      ["Please write to <ada.l+x@mail.example.co.uk>, thanks", "ada.l+x@mail.example.co.uk"],
      ["我的邮箱是：ada@example.com。", "ada@example.com"],
      ["me @ home or ada@example.com.", "ada@example.com"],
      ["@handle", undefined],
      ["ada@localhost", undefined],
      ["", undefined],
    ] as const)
      assert.equal(emailIn(text), email, text);
  });

  it("emailIn finds the same address as a regular expression", () => {
    const pattern = /[^\s@<>()[\],;:"']{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}/i;
    const unit = fc.constantFrom("a", "b", "1", "-", ".", ".", "@", "@", " ", ":", "é");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        assert.equal(emailIn(text), pattern.exec(text)?.[0]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("emailIn searches a hostile message in milliseconds", () => {
    for (const pattern of ["a@", "@", "a", `${"a".repeat(64)}@${`${"a".repeat(63)}.`.repeat(8)}`, "a@a."]) {
      const text = pattern.repeat(25_000 / pattern.length);
      const begun = performance.now();
      emailIn(text);
      atMost(performance.now() - begun, 50, pattern.slice(0, 20));
    }
  });
});
