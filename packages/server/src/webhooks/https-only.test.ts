import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusePlainHttp } from "./https-only.ts";

describe("WEBHOOK_HTTPS_ONLY", () => {
  it("WEBHOOK_HTTPS_ONLY refuses a webhook at http and names the setting", () => {
    assert.match(refusePlainHttp("http://a.example/hook", true)?.advice ?? "", /WEBHOOK_HTTPS_ONLY/);
  });

  it("WEBHOOK_HTTPS_ONLY accepts https and a change without a URL, and http when it is off", () => {
    for (const [url, httpsOnly] of [
      ["https://a.example", true],
      ["HTTPS://a.example", true],
      [undefined, true],
      ["http://a.example", false],
    ] as const)
      assert.equal(refusePlainHttp(url, httpsOnly), undefined, `${url} ${httpsOnly}`);
  });
});
