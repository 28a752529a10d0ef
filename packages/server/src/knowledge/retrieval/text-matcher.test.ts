import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { termsOf, trigramsOf } from "./terms.ts";
import { createTextIndexBuilder } from "./text-index.ts";
import { createTextMatcher, type Counts } from "./text-matcher.ts";

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom("reset ", "resets ", "my ", "password", "C++", "c#", " ", "?", "x", "1", "-"),
    maxLength: 12,
  }),
  fc.string({
    unit: fc.constantFrom(
      "重",
      "置",
      "密",
      "码",
      "水",
      "ガ",
      "カ\u3099",
      "ー",
      "𠀀",
      "c++",
      " wifi ",
      "，",
      "é",
      "Ａ",
      "한글",
    ),
    maxLength: 12,
  }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 20 }),
);

function countOf(sought: string[], all: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const term of all) if (sought.includes(term)) counts[term] = (counts[term] ?? 0) + 1;
  return counts;
}

function named(sought: string[], { found, counts }: Counts): Record<string, number> {
  return Object.fromEntries(found.map((place) => [sought[place] ?? "", counts[place] ?? 0]));
}

describe("text matcher", () => {
  it("the text matcher counts the same terms and trigrams as a full split, in every script, also in texts that were read before", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (asked, texts) => {
        const terms = [...new Set(termsOf(asked))];
        const trigrams = [...new Set(trigramsOf(asked))];
        const matcher = createTextMatcher(terms, trigrams);
        const builder = createTextIndexBuilder();
        const all = [...texts, asked].map((one) => ({ one, indexed: builder.addQuestion(one) }));
        const answers = [...texts, asked].map((one) => builder.addAnswer(one));
        builder.finish();
        for (const [at, { one, indexed }] of all.entries()) {
          const inIndex = structuredClone(matcher.termsAndTrigrams(indexed));
          const inAnswer = structuredClone(matcher.terms(answers[at]!));
          const counted = matcher.termsAndTrigrams(one);
          assert.deepEqual(inIndex, counted, "read before, in the same order");
          assert.deepEqual(inAnswer, counted.terms);
          assert.deepEqual(named(terms, counted.terms), countOf(terms, termsOf(one)));
          assert.equal(counted.terms.length, termsOf(one).length);
          assert.deepEqual(named(trigrams, counted.trigrams), countOf(trigrams, trigramsOf(one)));
          assert.equal(counted.trigrams.length, trigramsOf(one).length);
          assert.equal(matcher.terms(one).length, termsOf(one).length);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
