import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { createSealer, Refusal } from "../platform/index.ts";
import { sealingContext } from "./destination.ts";
import {
  changeCredentials,
  newSigningSecret,
  type GivenCredentials,
  type SealedCredentials,
} from "./secrets.ts";

const sealer = createSealer([{ id: "k1", material: randomBytes(32) }]);
const identity = { agentId: "agent", webhookId: "webhook" };
const url = "https://developer.example.com/hooks";

function change(given: GivenCredentials, stored?: SealedCredentials): SealedCredentials {
  const changed = changeCredentials(sealer, identity, stored && { ...stored, url }, { ...given, url });
  if (changed instanceof Refusal) throw new Error(changed.advice);
  return changed;
}

function opened(sealed: SealedCredentials): (string | null)[] {
  return (["username_sealed", "secret_sealed"] as const).map((column) => {
    const value = sealed[column];
    return value === null ? null : sealer.open(value, sealingContext("agent", "webhook", column));
  });
}

describe("change of webhook credentials", () => {
  it("a change of credentials keeps what is left out, removes what is null and sets what is given", () => {
    const both = change({ username: "developer", secret: "word" });
    assert.deepEqual(opened(both), ["developer", "word"]);
    assert.deepEqual(opened(change({}, both)), ["developer", "word"]);
    assert.deepEqual(opened(change({ secret: "other" }, both)), ["developer", "other"]);
    assert.deepEqual(opened(change({ username: "other" }, both)), ["other", "word"]);
    assert.deepEqual(opened(change({ secret: null }, both)), ["developer", null]);
    assert.deepEqual(opened(change({ username: null, secret: null }, both)), [null, null]);
    assert.deepEqual(opened(change({})), [null, null]);
  });

  it("a change of credentials is validated together with the half that stays", () => {
    assert.throws(() => change({ secret: "word" }), /secret requires a username/);
    assert.throws(
      () => change({ secret: "word" }, change({ username: "with:colon" })),
      /username must not contain a colon/,
    );
    const both = change({ username: "with blank", secret: "word" });
    assert.throws(() => change({ secret: null }, both), /username must not contain spaces/);
    assert.throws(() => change({ username: null }, both), /secret requires a username/);
    assert.throws(() => change({ username: "a:b" }, both), /username must not contain a colon/);
  });

  it("credentials are stored encrypted", () => {
    const { username_sealed, secret_sealed } = change({ username: "planted-user", secret: "planted-word" });
    for (const sealed of [username_sealed, secret_sealed]) assert.equal(sealed?.includes("planted"), false);
  });
});

describe("new signing secret", () => {
  it("a signing secret is 32 random bytes in the Standard Webhooks format", () => {
    const [one, other] = [newSigningSecret(), newSigningSecret()];
    assert.match(one, /^whsec_/);
    assert.equal(Buffer.from(one.slice(6), "base64").length, 32);
    assert.notEqual(one, other);
  });
});
