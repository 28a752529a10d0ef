import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashApiKey } from "./api-keys.ts";

describe("API key hashes", () => {
  it("an API key is stored as its SHA-256, the same in every version", () => {
    assert.equal(
      hashApiKey("sbx_0123456789012345678901234567890123456789").toString("hex"),
      "a4b629764e6b7f4ab15773a4f5bf4e01a3dac4c3be37a16c4c0163caae33603e",
    );
  });
});
