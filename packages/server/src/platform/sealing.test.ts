import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSealer } from "./sealing.ts";

const oldKey = { id: "k1", material: randomBytes(32) };
const newKey = { id: "k2", material: randomBytes(32) };
const CONTEXT = "webhook|agent|webhook|secret_sealed";

describe("sealer", () => {
  const sealer = createSealer([oldKey]);

  it("the sealer opens what it sealed, for any text and context, with another ciphertext each time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plain, context) => {
        const sealed = sealer.seal(plain, context);
        assert.equal(sealer.open(sealed, context), plain);
        assert.notDeepEqual(sealer.seal(plain, context), sealed);
      }),
    );
  });

  it("a sealed value contains nothing of its text", () => {
    const sealed = sealer.seal("correct horse battery staple", CONTEXT);
    assert.equal(sealed.includes("horse"), false);
    assert.equal(sealed.toString("base64").includes(Buffer.from("correct horse").toString("base64")), false);
  });

  it("a sealed value moved to another agent, webhook or column does not open", () => {
    const sealed = sealer.seal("secret", CONTEXT);
    for (const elsewhere of [
      "webhook|other|webhook|secret_sealed",
      "webhook|agent|other|secret_sealed",
      "webhook|agent|webhook|username_sealed",
      "",
    ])
      assert.throws(() => sealer.open(sealed, elsewhere));
  });

  it("a sealed value with one changed bit or cut short does not open", () => {
    const sealed = sealer.seal("a secret of some length", CONTEXT);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.throws(() => sealer.open(changed, CONTEXT), `bit ${bit} does not matter`);
    }
    for (let length = 0; length < sealed.length; length += 1)
      assert.throws(() => sealer.open(sealed.subarray(0, length), CONTEXT), `${length} bytes are enough`);
  });

  it("the sealer opens with every key and seals with the first, so that keys can be rotated", () => {
    const sealedBefore = sealer.seal("secret", CONTEXT);
    const during = createSealer([newKey, oldKey]);
    assert.equal(during.open(sealedBefore, CONTEXT), "secret");
    assert.equal(during.isSealedByNewestKey(sealedBefore), false);
    const sealedAnew = during.seal(during.open(sealedBefore, CONTEXT), CONTEXT);
    assert.equal(during.isSealedByNewestKey(sealedAnew), true);
    const afterwards = createSealer([newKey]);
    assert.equal(afterwards.open(sealedAnew, CONTEXT), "secret");
    assert.throws(() => afterwards.open(sealedBefore, CONTEXT), /SEALING_KEYS lacks the key "k1"/);
  });

  it("a sealed value with a shortened tag does not open", () => {
    const sealed = sealer.seal("", CONTEXT);
    assert.throws(() => sealer.open(sealed.subarray(0, -8), CONTEXT), /tag/i);
  });

  it("a sealed value does not open under a key of the same name with other bytes", () => {
    const impostor = createSealer([{ id: oldKey.id, material: newKey.material }]);
    assert.throws(() => impostor.open(sealer.seal("secret", CONTEXT), CONTEXT));
  });

  it("a sealer without a key is refused", () => {
    assert.throws(() => createSealer([]));
  });
});
