import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusePlainHttp } from "./https-only.ts";

describe("WEBHOOK_HTTPS_ONLY", () => {
  it("refuses to configure a webhook at http, and says which setting asks for https", () => {
    assert.match(refusePlainHttp("http://a.example/hook", true)?.advice ?? "", /WEBHOOK_HTTPS_ONLY/);
  });

  it("takes https, a change that leaves the URL as it is, and http where the setting is off", () => {
    for (const [url, httpsOnly] of [
      ["https://a.example", true],
      ["HTTPS://a.example", true],
      [undefined, true],
      ["http://a.example", false],
    ] as const)
      assert.equal(refusePlainHttp(url, httpsOnly), undefined, `${url} ${httpsOnly}`);
  });
});
