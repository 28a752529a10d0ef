import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeliveryAttempt } from "@signalbox/contract";
import { curlOf } from "./curl.ts";

function attemptWith(part: Partial<DeliveryAttempt>): DeliveryAttempt {
  // Only the address and the headers are read.
  return {
    url: "https://example.com/hooks",
    request_headers: { "webhook-id": "1" },
    ...part,
  } as DeliveryAttempt;
}

describe("attempt as curl", () => {
  it("curl quotes a body with a single quote so that a shell passes it unchanged", () => {
    const curl = curlOf(attemptWith({}), `{"text":"it's"}`);
    assert.equal(
      curl,
      `curl -i 'https://example.com/hooks' \\\n  -H 'webhook-id: 1' \\\n  --data-binary '{"text":"it'\\''s"}'`,
    );
  });

  it("curl is not offered where nothing was sent", () => {
    assert.equal(curlOf(attemptWith({ url: null }), ""), undefined);
    assert.equal(curlOf(attemptWith({ request_headers: null }), ""), undefined);
  });
});
