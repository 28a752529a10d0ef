import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base32, codeAt, stepAt, stepOfCode } from "./totp.ts";

/** The secret of RFC 6238, appendix B, for SHA-1. */
const SECRET = Buffer.from("12345678901234567890");

describe("one-time codes", () => {
  for (const [seconds, code] of [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ] as const)
    it(`the one-time code at second ${seconds} is the one of RFC 6238`, () => {
      assert.equal(codeAt(SECRET, stepAt(seconds * 1000)), code.slice(-6));
    });

  it("a one-time code holds for one step before and after its own", () => {
    const timeMs = 1_234_567_890_000;
    const now = stepAt(timeMs);
    const found = [-2, -1, 0, 1, 2].map((away) =>
      stepOfCode(SECRET, codeAt(SECRET, now + away), { timeMs, lastStep: 0 }),
    );
    assert.deepEqual(found, [undefined, now - 1, now, now + 1, undefined]);
  });

  it("a one-time code of a step that was used, or of one before it, is refused", () => {
    const timeMs = 1_234_567_890_000;
    const now = stepAt(timeMs);
    for (const away of [-1, 0])
      assert.equal(stepOfCode(SECRET, codeAt(SECRET, now + away), { timeMs, lastStep: now }), undefined);
    assert.equal(stepOfCode(SECRET, codeAt(SECRET, now + 1), { timeMs, lastStep: now }), now + 1);
  });

  it("one-time codes may be typed with blanks", () => {
    const code = codeAt(SECRET, 1);
    assert.equal(
      stepOfCode(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, { timeMs: 30_000, lastStep: 0 }),
      1,
    );
  });

  for (const [text, encoded] of [
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ] as const)
    it(`Base32 of "${text}" is the one of RFC 4648`, () => {
      assert.equal(base32(Buffer.from(text)), encoded);
    });
});
