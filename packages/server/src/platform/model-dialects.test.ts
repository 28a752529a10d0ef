import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createModelDialects } from "./model-dialects.ts";

describe("what models were found to need", () => {
  it("what was learned of a model is forgotten after six hours, and is of no other address", () => {
    let nowMs = 0;
    const dialects = createModelDialects(() => nowMs);
    const address = { url: "https://models.example/v1", model: "some-model" };
    const learned = { ...dialects.of(address), hasTemperature: false };
    dialects.learn(address, learned);
    assert.deepEqual(dialects.of(address), learned);
    assert.equal(dialects.of({ ...address, url: "https://other.example/v1" }).hasTemperature, true);
    nowMs += 6 * 3_600_000 + 1;
    assert.equal(dialects.of(address).hasTemperature, true);
  });
});
