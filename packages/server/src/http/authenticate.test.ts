import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bearerOf } from "./authenticate.ts";

describe("bearer token", () => {
  it("a bearer token is what follows the scheme in any case, and nothing else is read as one", () => {
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
