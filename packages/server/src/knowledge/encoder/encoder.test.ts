import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createEncoder, type Encoder } from "./encoder.ts";

const QUESTIONS_AT_ONCE = 100;

describe("the built-in encoder", () => {
  let encoder: Encoder;
  before(() => {
    encoder = createEncoder({ onCpu: () => undefined, onFailure: assert.ifError });
  });
  after(() => encoder.close());

  it("leaves questions beyond those that may wait to their words", async () => {
    const asked = Array.from({ length: QUESTIONS_AT_ONCE }, (_, at) =>
      encoder.encode(`Where is shop ${at}?`),
    );
    const encoded = await Promise.all(asked);
    assert.ok(encoded.includes(undefined));
    assert.ok(encoded.some((text) => text !== undefined));
  });

  it("makes the vector of a pair however many questions wait", async () => {
    const asked = Array.from({ length: QUESTIONS_AT_ONCE }, (_, at) =>
      encoder.encode(`Where is shop ${at}?`),
    );
    const made = await encoder.asModel().embed(["When do you open?"]);
    await Promise.all(asked);
    assert.ok(made.kind === "embedded" && (made.vectors[0]?.length ?? 0) > 0, JSON.stringify(made));
  });

  it("says of pairs that it failed when it ends, and stores no empty vector for them", async () => {
    const ending = createEncoder({ onCpu: () => undefined, onFailure: () => undefined });
    const made = ending.asModel().embed(["When do you open?"]);
    await ending.close();
    const { kind } = await made;
    assert.equal(kind, "failed");
  });

  it("gives a text in a language it does not know an empty vector", async () => {
    const made = await encoder.asModel().embed(["你们几点开门？"]);
    assert.deepEqual(made, { kind: "embedded", vectors: [[]], tokens: 0 });
  });
});
