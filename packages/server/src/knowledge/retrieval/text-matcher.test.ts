import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { termsOf, trigramsOf } from "./terms.ts";
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
  it("the text matcher counts the same terms and trigrams as a full split, in every script", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (asked, texts) => {
        const terms = [...new Set(termsOf(asked))];
        const trigrams = [...new Set(trigramsOf(asked))];
        const matcher = createTextMatcher(terms, trigrams);
        for (const one of [...texts, asked]) {
          const counted = matcher.termsAndTrigrams(one);
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
