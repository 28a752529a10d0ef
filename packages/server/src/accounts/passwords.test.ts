import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashPassword, isPassword } from "./passwords.ts";

describe("password hashes", () => {
  it("a password verifies in either Unicode composition, no other does, and each hash has its own salt", async () => {
    const stored = await hashPassword("na\u00efve and long enough");
    assert.ok(await isPassword("nai\u0308ve and long enough", stored));
    assert.equal(await isPassword("naive and long enough", stored), false);
    assert.notEqual(await hashPassword("na\u00efve and long enough"), stored);
  });

  it("no password verifies without an account or a stored hash, and a hash of another form is an error", async () => {
    for (const stored of [undefined, ""]) assert.equal(await isPassword("", stored), false);
    await assert.rejects(isPassword("anything at all", "plain text"));
  });
});
