import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { redactReply } from "./redact-reply.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const username = "desk user/7";
const secret = `p"a\\ss'<&>+w0rd%/`;
const basic = Buffer.from(`${username}:${secret}`).toString("base64");

function redacted(
  reply: string,
  given: { username?: string; secret?: string } = { username, secret },
): string {
  return redactReply(Buffer.from(reply), { username: given.username, secret: given.secret }).toString("utf8");
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

describe("redaction of stored replies", () => {
  const spellings: [string, (text: string) => string][] = [
    ["as they are", (text) => text],
    ["in JSON", (text) => JSON.stringify(text)],
    ["in JSON with escaped slashes", (text) => JSON.stringify(text).replaceAll("/", "\\/")],
    ["in JSON inside JSON", (text) => JSON.stringify(JSON.stringify(text))],
    [
      "in JSON with every character escaped",
      (text) => [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    ],
    [
      "in upper case escapes",
      (text) =>
        [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`).join(""),
    ],
    ["in a URL", (text) => encodeURIComponent(text)],
    ["in a form", (text) => new URLSearchParams({ text }).toString()],
    ["in a URL with every character escaped", percentEncoded],
    ["in a URL inside a URL", (text) => encodeURIComponent(percentEncoded(text))],
    [
      "in HTML",
      (text) =>
        text
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;")
          .replaceAll('"', "&quot;")
          .replaceAll("'", "&#39;"),
    ],
    [
      "in HTML with every character escaped",
      (text) => [...text].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join(""),
    ],
  ];
  for (const [name, spell] of spellings) {
    it(`a reply that echoes credentials is stored without them: ${name}`, () => {
      for (const credential of [username, secret, basic]) {
        const reply = `before ${spell(credential)} after`;
        const kept = redacted(reply);
        assert.match(kept, /^before .*\[redacted\].* after$/s, reply);
        assert.ok(!kept.includes(spell(credential)), kept);
        assert.ok(kept.replace("[redacted]", "").length < "before  after".length + 10, kept);
      }
    });
  }

  it("a credential that crosses the end of the stored part is redacted", () => {
    const long = "s".repeat(200);
    const kept = redacted(`${"x".repeat(4_000)}${long}${"y".repeat(9_000)}`, { username: "u", secret: long });
    assert.equal(kept.length, 4_096);
    assert.ok(!kept.includes("s"), "no part of it is left");
  });

  it("a stored reply is truncated between characters", () => {
    const reply = `x${"é".repeat(3_000)}`;
    assert.equal(redacted(reply), reply.slice(0, 1 + 2_047));
  });

  it("a reply without credentials is stored byte for byte", () => {
    const bytes = Buffer.from([0x00, 0xff, 0xc3, 0x28, 0x5c, 0x6e, 0x26, 0x25]);
    assert.deepEqual(redactReply(bytes, { username: "nobody", secret: undefined }), bytes);
    assert.equal(redacted("a\\b %41 &amp; + c"), "a\\b %41 &amp; + c");
  });

  it("a reply made to be costly is redacted in bounded time", () => {
    const backslashes = "\\".repeat(12_288);
    const begun = performance.now();
    redacted(backslashes, { username: "\\".repeat(255), secret: `${"\\".repeat(255)}x` });
    redacted("%25".repeat(4_096), { username: "%".repeat(256) });
    redacted("&amp;".repeat(2_500), { username: "&".repeat(256) });
    redacted("&#0000".repeat(2_048), { username: "&#0".repeat(80) });
    atMost(performance.now() - begun, 500, "redacting");
  });
});
