import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { signatureHeaders, signingKey } from "./signing.ts";

const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);
const ids = fc.uuid();
const messages = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text: `${text}\u2028é` }));

describe("the signature of a delivery", () => {
  it("is what the published Standard Webhooks library verifies, for any body", () => {
    fc.assert(
      fc.property(ids, messages, secrets, (id, body, secret) => {
        const headers = signatureHeaders(id, Buffer.from(body), [signingKey(secret)], new Date());
        assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
      }),
    );
  });

  it("verifies with the new and with the old secret while a rotation overlaps", () => {
    fc.assert(
      fc.property(ids, messages, secrets, secrets, (id, body, newest, previous) => {
        const headers = signatureHeaders(
          id,
          Buffer.from(body),
          [signingKey(newest), signingKey(previous)],
          new Date(),
        );
        for (const secret of [newest, previous]) new Webhook(secret).verify(body, headers);
      }),
    );
  });

  it("does not verify with another secret, another body or another id", () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const headers = signatureHeaders("one", Buffer.from("{}"), [signingKey(secret)], new Date());
    const other = new Webhook(`whsec_${Buffer.alloc(32, 2).toString("base64")}`);
    assert.throws(() => other.verify("{}", headers));
    assert.throws(() => new Webhook(secret).verify("[]", headers));
    assert.throws(() => new Webhook(secret).verify("{}", { ...headers, "webhook-id": "two" }));
  });

  it("is made anew for each attempt, under the same id and with the attempt's own time in whole seconds", () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const [first, second] = [1_700_000_000_999, 1_700_000_060_000].map((ms) =>
      signatureHeaders("one", Buffer.from("{}"), [signingKey(secret)], new Date(ms)),
    );
    assert.equal(first?.["webhook-timestamp"], "1700000000");
    assert.equal(first?.["webhook-id"], second?.["webhook-id"]);
    assert.notEqual(first?.["webhook-signature"], second?.["webhook-signature"]);
  });
});
