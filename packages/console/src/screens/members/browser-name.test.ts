import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browserName } from "./browser-name.ts";

const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";

describe("browser name", () => {
  for (const [userAgent, expected] of [
    [`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15`, "Safari macOS"],
    [`${MAC} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 Edg/120.0`, "Edge macOS"],
    [
      "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36",
      "Chrome Android",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "Firefox Linux"],
    ["curl/8.5.0", undefined],
    ["", undefined],
  ] as const)
    it(`the browser name is ${expected ?? "unknown"} for ${userAgent || "an empty User-Agent"}`, () => {
      const name = browserName(userAgent);
      assert.equal(name && `${name.browser} ${name.system}`, expected);
    });
});
