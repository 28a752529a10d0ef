import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { charactersLeft, refuseWeakPassword } from "./password-strength.ts";

const OWNER = { email: "wei.zhao@harbourlight.example", name: "赵伟 Zhao" };

describe("the strength of a password", () => {
  it("a piece that is tried first counts as one character", () => {
    for (const [password, left] of [
      ["password", 1],
      ["P@55w0rd", 1],
      ["drowssap", 1],
      ["qwertyuiop", 1],
      ["987654321", 1],
      ["zzzzzzzzzz", 1],
      ["1999", 1],
      ["dragon-monkey", 3],
      ["vK2#pq9Lw7xz", 12],
      ["harbourlight", 1],
      ["赵伟", 1],
    ] as const)
      assert.equal(charactersLeft(password, OWNER), left, password);
  });

  it("no password of 16 random bytes is refused", () => {
    for (let times = 0; times < 500; times += 1)
      for (const form of ["base64url", "hex"] as const) {
        const password = randomBytes(16).toString(form);
        assert.equal(refuseWeakPassword(password, OWNER), undefined, password);
      }
  });

  it("the longest password is judged within 100 ms", () => {
    for (const unit of ["a", "ab", "password", "1q2w3e4r", "密码", "!1", "aab"]) {
      const began = performance.now();
      charactersLeft(unit.repeat(200).slice(0, 200), OWNER);
      atMost(performance.now() - began, 100, unit);
    }
  });
});
