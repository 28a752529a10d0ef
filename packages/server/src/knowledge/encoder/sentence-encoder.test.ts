import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEncoder } from "./encoder.ts";
import { createSentenceEncoder } from "./sentence-encoder.ts";
import { readWeights } from "./weights.ts";

const FILE = new URL("../../../encoder/use-lite-en.int8", import.meta.url);

function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at]! * other[at]!;
  return sum;
}

describe("sentence encoder", () => {
  const encoder = createSentenceEncoder(readWeights(FILE));
  const vectorOf = (text: string) => encoder.encode(text).vector;

  it("the encoder's vector equals the original model's within 8-bit precision", () => {
    // First numbers of the original, in float32, for this sentence.
    const original = [
      0.01533, -0.05037, 0.05502, -0.05895, -0.04012, -0.03125, 0.03805, 0.05966, -0.0602, 0.03343, -0.03075,
      0.03805,
    ];
    const vector = vectorOf("When will I receive my refund?");
    assert.equal(vector.length, 512);
    assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
    for (const [at, value] of original.entries())
      assert.ok(Math.abs(vector[at]! - value) < 0.01, `${at}: ${vector[at]} for ${value}`);
  });

  it("the encoder ranks meaning above shared sentence structure", () => {
    const asked = vectorOf("do you sell kayaks");
    const near = cosine(vectorOf("can I buy a canoe from you"), asked);
    assert.ok(near > cosine(vectorOf("do you sell gift cards"), asked) - 0.3);
    const refund = vectorOf("how do I get my money back");
    assert.ok(
      cosine(vectorOf("When will I receive my refund?"), refund) >
        cosine(vectorOf("How do I wash a jacket?"), refund),
    );
  });

  it("the encoder reads a text of any length and script and says how well it knows it", () => {
    assert.ok(encoder.encode("opening hours of the store").charactersPerPiece > 3);
    assert.ok(encoder.encode("xqz jkw vbn qqx zzv").charactersPerPiece < 2.5);
    for (const text of ["", " ", "word ".repeat(2_000), "我想退货", "🙂"])
      assert.equal(encoder.encode(text).vector.length, 512);
  });

  it("the encoder answers from its thread, reports CPU time and leaves other languages to word search", async () => {
    let seconds = 0;
    const thread = createEncoder({
      onCpu: (more) => (seconds += more),
      onFailure: (error) => assert.fail(String(error)),
    });
    try {
      const encoded = await thread.encode("When will I receive my refund?");
      assert.ok(cosine(encoded?.numbers ?? [], vectorOf("When will I receive my refund?")) > 0.9999);
      assert.ok(seconds > 0);
      assert.equal(await thread.encode("我想退货"), undefined);
      assert.equal(await thread.encode("как вернуть товар"), undefined);
      const many = await Promise.all(Array.from({ length: 100 }, () => thread.encode("opening hours")));
      // Beyond the queue's bound a question is answered by its words.
      assert.equal(many.filter((one) => one !== undefined).length, 64);
    } finally {
      await thread.close();
    }
  });
});
