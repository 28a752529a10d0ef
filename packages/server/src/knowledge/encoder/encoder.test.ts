import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createEncoder, type Encoder } from "./encoder.ts";

const QUESTIONS_AT_ONCE = 100;

describe("encoder thread", () => {
  let encoder: Encoder;
  before(() => {
    encoder = createEncoder({ onCpu: () => undefined, onFailure: assert.ifError });
  });
  after(() => encoder.close());

  it("questions beyond the encoder's queue limit are searched by words", async () => {
    const asked = Array.from({ length: QUESTIONS_AT_ONCE }, (_, at) =>
      encoder.encode(`Where is shop ${at}?`),
    );
    const encoded = await Promise.all(asked);
    assert.ok(encoded.includes(undefined));
    assert.ok(encoded.some((text) => text !== undefined));
  });

  it("the encoder embeds a pair however many questions wait", async () => {
    const asked = Array.from({ length: QUESTIONS_AT_ONCE }, (_, at) =>
      encoder.encode(`Where is shop ${at}?`),
    );
    const made = await encoder.asModel().embed(["When do you open?"]);
    await Promise.all(asked);
    assert.ok(made.kind === "embedded" && (made.vectors[0]?.length ?? 0) > 0, JSON.stringify(made));
  });

  it("the encoder uses at most half a core for pairs, however many imports run", async () => {
    let cpuSeconds = 0;
    const busy = createEncoder({ onCpu: (seconds) => (cpuSeconds += seconds), onFailure: assert.ifError });
    const pairs = Array.from(
      { length: 8 },
      (_, at) => `Where is shop ${at}, and when does it open on Sundays?`,
    );
    await busy.asModel().embed(["It loads its weights first."]);
    cpuSeconds = 0;
    const beganAt = performance.now();
    await Promise.all([1, 2, 3].map(() => busy.asModel().embed(pairs)));
    const tookMs = performance.now() - beganAt;
    await busy.close();
    assert.ok(tookMs >= 1.8 * cpuSeconds * 1000, `${cpuSeconds * 1000} ms of CPU in ${tookMs} ms`);
  });

  it("a closing encoder reports pairs as failed and stores no empty vector", async () => {
    const ending = createEncoder({ onCpu: () => undefined, onFailure: () => undefined });
    const made = ending.asModel().embed(["When do you open?"]);
    await ending.close();
    const { kind } = await made;
    assert.equal(kind, "failed");
  });

  it("a text in a language the encoder does not know has an empty vector", async () => {
    const made = await encoder.asModel().embed(["你们几点开门？"]);
    assert.deepEqual(made, { kind: "embedded", vectors: [[]], tokens: 0 });
  });
});
