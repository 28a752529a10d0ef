import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { bytesOf, toBase64 } from "./bytes.ts";
import { decodeSigningSecret, importSigningKey, signParts, verifySignature } from "./signature.ts";

const nowMs = Date.now();
const timestamp = String(Math.floor(nowMs / 1000));
const newSecret = () => `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(24)))}`;
const keyOf = (secret: string) => importSigningKey(decodeSigningSecret(secret));
const now = { nowMs, toleranceSeconds: 300 };

const bodies = ["{}", "", '{"text":"héllo 你好 👋"}', "x".repeat(100_000)];

describe("webhook signature", () => {
  it("a signature equals the one of the published Standard Webhooks library, and each verifies the other's", async () => {
    for (const text of bodies) {
      const secret = newSecret();
      const key = await keyOf(secret);
      const body = bytesOf(text);
      const theirs = new Webhook(secret).sign("msg_1", new Date(nowMs), text);
      const ours = await signParts(key, { id: "msg_1", timestamp, body });
      assert.equal(ours, theirs);
      const given = { id: "msg_1", timestamp, signature: theirs, body };
      assert.deepEqual(await verifySignature([key], given, now), { ok: true });
    }
  });

  it("a signature verifies under either of two secrets, whichever of two signatures matches", async () => {
    const [old, next, other] = await Promise.all([newSecret(), newSecret(), newSecret()].map(keyOf));
    const parts = { id: "m", timestamp, body: bytesOf("{}") };
    const [byOld, byNext] = await Promise.all([old!, next!].map((key) => signParts(key, parts)));
    const verify = (keys: (typeof old)[], signature: string) =>
      verifySignature(
        keys.filter((key) => key !== undefined),
        { ...parts, signature },
        now,
      );
    assert.deepEqual(await verify([old], `${byNext} ${byOld}`), { ok: true });
    assert.deepEqual(await verify([next, old], `${byOld}`), { ok: true });
    assert.deepEqual(await verify([other], `${byNext} ${byOld}`), { ok: false, problem: "wrong" });
    assert.deepEqual(await verify([old], `v1a,${byOld} v1,%% v1 ,`), { ok: false, problem: "wrong" });
  });

  it("a signature fails when signed content changed, or when it is too old, too new or missing", async () => {
    const key = await keyOf(newSecret());
    const sign = (at: number) => signParts(key, { id: "m", timestamp: String(at), body: bytesOf("{}") });
    const at = Number(timestamp);
    const given = { id: "m", timestamp, signature: await sign(at), body: bytesOf("{}") };
    const problemOf = async (change: object) => {
      const verdict = await verifySignature([key], { ...given, ...change }, now);
      return verdict.ok ? "none" : verdict.problem;
    };
    assert.equal(await problemOf({}), "none");
    assert.equal(await problemOf({ id: "n" }), "wrong");
    assert.equal(await problemOf({ body: bytesOf("{ }") }), "wrong");
    assert.equal(await problemOf({ timestamp: String(at - 1) }), "wrong");
    assert.equal(await problemOf({ timestamp: String(at - 301), signature: await sign(at - 301) }), "stale");
    assert.equal(await problemOf({ timestamp: String(at - 299), signature: await sign(at - 299) }), "none");
    assert.equal(await problemOf({ timestamp: String(at + 301), signature: await sign(at + 301) }), "early");
    assert.equal(await problemOf({ timestamp: "soon" }), "stale");
    for (const field of ["id", "timestamp", "signature"])
      assert.equal(await problemOf({ [field]: undefined }), "missing");
  });

  it("a signing secret that is not whsec_ and Base64 is refused", () => {
    for (const secret of ["", "whsec_", "not base64!"])
      assert.throws(() => decodeSigningSecret(secret), /whsec_ followed by Base64/);
  });
});
