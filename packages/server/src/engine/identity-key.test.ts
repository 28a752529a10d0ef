import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { describe, it } from "node:test";
import { generateIdentityKey } from "./identity-key.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

describe("request identity key", () => {
  it("the public key belongs to its private key and has Restate's format", () => {
    for (let time = 0; time < 50; time += 1) {
      const { privateKeyPem, publicKey } = generateIdentityKey();
      const [, digits = ""] = /^publickeyv1_([1-9A-HJ-NP-Za-km-z]{32,44})$/.exec(publicKey) ?? [];
      let value = 0n;
      for (const digit of digits) value = value * 58n + BigInt(ALPHABET.indexOf(digit));
      const { x = "" } = createPublicKey(privateKeyPem).export({ format: "jwk" });
      assert.equal(value.toString(16).padStart(64, "0"), Buffer.from(x, "base64url").toString("hex"));
    }
  });
});
