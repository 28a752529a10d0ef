import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createEncoder } from "./encoder.ts";
import { createSentenceEncoder, PIECES_MAX } from "./sentence-encoder.ts";
import { readWeights } from "./weights.ts";
import { createWordPieces } from "./word-pieces.ts";

const FOLDER = new URL("../../../encoder/", import.meta.url);
const WIDTH = 384;

function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at]! * other[at]!;
  return sum;
}

describe("sentence encoder", () => {
  const encoder = createSentenceEncoder(readWeights(new URL("minilm-l6-en.int8", FOLDER)));
  const pieces = createWordPieces(
    readFileSync(new URL("minilm-l6-en.vocabulary", FOLDER), "utf8").trimEnd().split("\n"),
  );
  const vectorOf = (text: string) => {
    const { ids, ofWords } = pieces.cut(text, PIECES_MAX - 2);
    return encoder.encode(ids, ofWords);
  };

  it("the encoder's vector equals the original model's within 8-bit precision", () => {
    // First numbers of the original, in float32, for this sentence.
    const original = [
      -0.08471, -0.02334, 0.03048, 0.03501, 0.03327, -0.00334, 0.03945, 0.01924, -0.01769, 0.01551, 0.02998,
      -0.02585,
    ];
    const vector = encoder.encode(pieces.cut("When will I receive my refund?", PIECES_MAX - 2).ids);
    assert.equal(vector.length, WIDTH);
    assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
    for (const [at, value] of original.entries())
      assert.ok(Math.abs(vector[at]! - value) < 0.005, `${at}: ${vector[at]} for ${value}`);
  });

  it("the encoder ranks meaning above shared sentence structure", () => {
    const asked = vectorOf("do you sell kayaks");
    const near = cosine(vectorOf("can I buy a canoe from you"), asked);
    assert.ok(near > cosine(vectorOf("do you sell gift cards"), asked));
    const refund = vectorOf("how do I get my money back");
    assert.ok(
      cosine(vectorOf("When will I receive my refund?"), refund) >
        cosine(vectorOf("How do I wash a jacket?"), refund) + 0.3,
    );
  });

  it("punctuation weighs nothing in the encoder's vector", () => {
    const { ids, ofWords } = pieces.cut("money, please?!", PIECES_MAX);
    assert.deepEqual(ofWords, [1, 3]);
    assert.equal(ids.length, 7);
    assert.deepEqual(pieces.cut("one two three", 2).ofWords, [1, 2], "a text that is cut short");
    assert.equal(encoder.encode(ids, [1]).length, WIDTH);
  });

  it("word pieces are those of BERT: the longest known beginning first, accents and case gone, signs apart", () => {
    const vocabulary = ["[CLS]", "[SEP]", "[UNK]", "un", "##believ", "##able", "zurich", "?", "ab"];
    const idsOf = (text: string) => createWordPieces(vocabulary).cut(text, 10).ids.slice(1, -1);
    assert.deepEqual(idsOf("Unbelievable Zürich?"), [3, 4, 5, 6, 7]);
    assert.deepEqual(idsOf("unknown"), [2]);
    assert.deepEqual(createWordPieces(vocabulary).cut("ab ab ab", 2).ids, [0, 8, 8, 1]);
  });

  it("the encoder reads a text of any length and script", () => {
    for (const text of ["", " ", "word ".repeat(2_000), "我想退货", "🙂"])
      assert.equal(vectorOf(text).length, WIDTH);
  });

  it("a garbled text falls into smaller pieces than English, however long it is", () => {
    const { charactersPerPiece } = pieces.cut("opening hours of the store", PIECES_MAX);
    assert.ok(charactersPerPiece > 4);
    for (const times of [1, 40])
      assert.ok(pieces.cut("xqz jkw vbn qqx zzv ".repeat(times), PIECES_MAX).charactersPerPiece < 2.5);
  });

  it("the encoder answers from its thread, reports CPU time and leaves other languages to word search", async () => {
    let seconds = 0;
    const thread = createEncoder({
      onCpu: (more) => (seconds += more),
      onFailure: (error) => assert.fail(String(error)),
    });
    try {
      const encoded = await thread.encode("When will I receive my refund?");
      assert.ok(cosine(encoded ?? [], vectorOf("When will I receive my refund?")) > 0.9999);
      assert.ok(seconds > 0);
      assert.equal(await thread.encode("我想退货"), undefined);
      assert.equal(await thread.encode("как вернуть товар"), undefined);
      assert.equal(await thread.encode("hw d rtrn whn th prcl rrvs"), undefined);
      const many = await Promise.all(Array.from({ length: 100 }, () => thread.encode("opening hours")));
      // Beyond the queue's bound a question is answered by its words.
      assert.equal(many.filter((one) => one !== undefined).length, 64);
    } finally {
      await thread.close();
    }
  });

  it("the encoder knows English from other languages that share its script", async () => {
    const thread = createEncoder({ onCpu: () => undefined, onFailure: assert.ifError });
    const english = ["Where can I return a parcel?", "When do you open?", "How do I reset my password?"];
    const german = [
      "Wo kann ich ein Paket zurückgeben?",
      "Wann öffnet ihr?",
      "Wie ändere ich mein Kennwort?",
    ];
    const french = [
      "Où puis-je retourner un colis ?",
      "Quand ouvrez-vous ?",
      "Comment changer mon mot de passe ?",
    ];
    assert.ok(thread.knowsLanguageOf(english));
    assert.ok(thread.knowsLanguageOf([...english, german[0] ?? ""]), "one stray pair changes nothing");
    assert.ok(!thread.knowsLanguageOf(german));
    assert.ok(!thread.knowsLanguageOf(french));
    assert.ok(!thread.knowsLanguageOf(["你们几点开门？"]));
    await thread.close();
  });
});
