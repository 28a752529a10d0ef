import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addStatistics, countText, noStatistics, writeStatistics, type Statistics } from "./statistics.ts";
import { termsOf, trigramsOf } from "./terms.ts";

function statisticsOf(texts: string[]): Statistics {
  const statistics = noStatistics();
  for (const text of texts) {
    statistics.pairs += 1;
    countText(statistics.question, termsOf(text));
    countText(statistics.answer, termsOf(`${text} answer`));
    countText(statistics.trigram, trigramsOf(text));
  }
  return statistics;
}

describe("word counts of a base", () => {
  const texts = ["How do I pay in C++ or C#?", "如何重置密码", "Überweisung, naïve 10 €", "𠀀𠀁"];
  const many = Array.from({ length: 12_000 }, (_, index) => `word${index % 6_000} ${index % 6_000}x`);

  it("the word counts of documents add up and round-trip", async () => {
    const read = noStatistics();
    for (const part of [texts, texts, []])
      await addStatistics(read, writeStatistics(statisticsOf(part)), () => undefined);
    assert.deepEqual(read, statisticsOf([...texts, ...texts]));
  });

  it("the word counts of a large base are read in several blocks, with a pause between them", async () => {
    const statistics = statisticsOf(many);
    let pauses = 0;
    const read = noStatistics();
    await addStatistics(read, writeStatistics(statistics), async () => void (pauses += 1));
    assert.equal(read.question.occurrences.size, 12_000);
    assert.equal(read.question.occurrences.get("word5999"), 2);
    assert.ok(pauses > 4, `${pauses} pauses`);
  });
});
