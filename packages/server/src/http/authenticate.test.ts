import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bearerOf } from "./authenticate.ts";

describe("a bearer token", () => {
  it("is what follows the scheme, whatever its case, and nothing else", () => {
    for (const header of ["Bearer token", "bearer token", "BEARER   token"])
      assert.equal(bearerOf(header), "token");
    for (const header of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "token",
      "Basic token",
      "Bearer a b",
      "Bearertoken",
      " Bearer t",
    ])
      assert.equal(bearerOf(header), undefined, header);
    assert.equal(bearerOf(`Bearer ${"t".repeat(2_049)}`), undefined);
  });
});
