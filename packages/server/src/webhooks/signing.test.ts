import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { isSignedBy, signatureHeaders, signingKey } from "./signing.ts";

const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);
const ids = fc.uuid();
const messages = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text: `${text}\u2028é` }));

describe("delivery signature", () => {
  it("a delivery signature verifies in the published Standard Webhooks library, for any body", () => {
    fc.assert(
      fc.property(ids, messages, secrets, (id, body, secret) => {
        const headers = signatureHeaders(id, Buffer.from(body), [signingKey(secret)], new Date());
        assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
      }),
    );
  });

  it("a delivery signature verifies with the new and the old secret during a rotation", () => {
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

  it("a delivery signature fails with another secret, body or id", () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const headers = signatureHeaders("one", Buffer.from("{}"), [signingKey(secret)], new Date());
    const other = new Webhook(`whsec_${Buffer.alloc(32, 2).toString("base64")}`);
    assert.throws(() => other.verify("{}", headers));
    assert.throws(() => new Webhook(secret).verify("[]", headers));
    assert.throws(() => new Webhook(secret).verify("{}", { ...headers, "webhook-id": "two" }));
  });

  it("each attempt is signed anew, under the same id with its own time in seconds", () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const [first, second] = [1_700_000_000_999, 1_700_000_060_000].map((ms) =>
      signatureHeaders("one", Buffer.from("{}"), [signingKey(secret)], new Date(ms)),
    );
    assert.equal(first?.["webhook-timestamp"], "1700000000");
    assert.equal(first?.["webhook-id"], second?.["webhook-id"]);
    assert.notEqual(first?.["webhook-signature"], second?.["webhook-signature"]);
  });
});

describe("docs/reference/signatures.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/signatures.md"), "utf8");
  const block = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
  const vector = JSON.parse(block("json")) as Record<string, string>;
  const { secret = "", "old secret": oldSecret = "", body = "", ...headers } = vector;
  const signedAt = Number(headers["webhook-timestamp"]);

  it("the test vector in docs/reference/signatures.md is what the service computes", () => {
    const keys = [signingKey(secret), signingKey(oldSecret)];
    assert.deepEqual(
      signatureHeaders(headers["webhook-id"] ?? "", Buffer.from(body), keys, new Date(signedAt * 1000)),
      headers,
    );
  });

  it("the inbox accepts the vector, by either secret, and refuses tampering and what is older than five minutes", () => {
    const given = {
      id: headers["webhook-id"] ?? "",
      timestamp: String(signedAt),
      signature: headers["webhook-signature"] ?? "",
    };
    const isGood = (changed: Partial<typeof given> = {}, { text = body, key = secret, late = 0 } = {}) =>
      isSignedBy(
        [signingKey(key)],
        { ...given, ...changed },
        Buffer.from(text),
        new Date((signedAt + late) * 1000),
      );
    for (const good of [{}, { key: oldSecret }, { late: 299 }, { late: -299 }])
      assert.equal(isGood({}, good), true, JSON.stringify(good));
    const other = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    for (const bad of [{ text: `${body} ` }, { key: other }, { late: 301 }, { late: -301 }])
      assert.equal(isGood({}, bad), false, JSON.stringify(bad));
    for (const bad of [{ id: "another" }, { timestamp: "" }, { timestamp: "1e9" }, { signature: "v1,é" }])
      assert.equal(isGood(bad), false, JSON.stringify(bad));
  });

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  it(
    "the Python in docs/reference/signatures.md accepts the vector and refuses tampering",
    { skip: !hasPython },
    () => {
      const cases: [expected: boolean, headers: object, body: string, secret: string, now: number][] = [
        [true, headers, body, secret, signedAt],
        [true, headers, body, oldSecret, signedAt + 299],
        [false, headers, `${body} `, secret, signedAt],
        [false, { ...headers, "webhook-id": "another" }, body, secret, signedAt],
        [false, { ...headers, "webhook-signature": "v1,é" }, body, secret, signedAt],
        [false, { "webhook-id": "another" }, body, secret, signedAt],
        [false, headers, body, `whsec_${Buffer.alloc(32, 1).toString("base64")}`, signedAt],
        [false, headers, body, secret, signedAt + 301],
        [false, headers, body, secret, signedAt - 301],
      ];
      const program = `${block("python")}
import json, sys
print(json.dumps([verify(h, b.encode(), s, n) for _, h, b, s, n in json.load(sys.stdin)]))`;
      const printed = execFileSync("python3", ["-c", program], {
        input: JSON.stringify(cases),
        encoding: "utf8",
      });
      assert.deepEqual(
        JSON.parse(printed),
        cases.map(([expected]) => expected),
      );
    },
  );
});
