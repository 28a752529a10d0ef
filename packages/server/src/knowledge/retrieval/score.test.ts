import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readAsked, termsByRarity } from "./score.ts";
import { noStatistics, type Statistics } from "./statistics.ts";
import { createSynonyms } from "./synonyms.ts";

const ENOUGH = 600;

/** As many pairs have each word, in their questions. */
function baseOf(pairs: number, words: Record<string, number>): Statistics {
  const statistics = noStatistics();
  statistics.pairs = pairs;
  statistics.question = { texts: pairs, length: 5 * pairs, occurrences: new Map(Object.entries(words)) };
  statistics.answer.texts = pairs;
  return statistics;
}

function soughtIn(statistics: Statistics, asked: string) {
  const { telling, others, common } = termsByRarity(
    statistics,
    readAsked(statistics, asked, createSynonyms()),
    ENOUGH,
  );
  return { telling, others, common };
}

describe("search terms", () => {
  const large = baseOf(100_000, { plum: 40, fig: 900, pear: 8_000, kiwi: 20_000, lime: 50_000 });

  it("a search uses the rarest terms until enough pairs have one of them", () => {
    assert.deepEqual(soughtIn(large, "lime fig plum pear"), {
      telling: ["plum", "fig"],
      others: [],
      common: [],
    });
  });

  it("a search uses two common terms together where one matches too many pairs", () => {
    assert.deepEqual(soughtIn(large, "lime kiwi plum pear"), {
      telling: ["plum"],
      others: [],
      common: [["pear", "kiwi"]],
    });
    assert.deepEqual(soughtIn(large, "kiwi"), { telling: [], others: [], common: [["kiwi"]] });
  });

  it("a search in a base of fewer than 5,000 pairs uses all terms", () => {
    for (const pairs of [2_000, 4_999]) {
      const small = baseOf(pairs, { plum: 1, kiwi: pairs, lime: pairs - 100 });
      assert.deepEqual(soughtIn(small, "plum kiwi lime"), {
        telling: ["plum", "lime"],
        others: [],
        common: [],
      });
    }
  });
});
