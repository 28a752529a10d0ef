import { createTimeSlice } from "../../platform/index.ts";
import type { IncomingPair } from "../intake/incoming-pair.ts";
import { indexedTexts, lexemePrefix, pairLexemes } from "../retrieval/lexemes.ts";
import { countText, noStatistics, writeStatistics, type Statistics } from "../retrieval/statistics.ts";
import { trigramsOf } from "../retrieval/terms.ts";

export type StoredPair = Pick<
  IncomingPair,
  "question" | "answer" | "alternates" | "tags" | "origin" | "source"
>;

export interface IndexedPair extends StoredPair {
  tags: string[];
  lexemes: string;
}

/** Reads pairs for the index and counts them on the way; one for each revision that is written. */
export interface PairIndexer {
  index(pairs: StoredPair[]): Promise<IndexedPair[]>;
  pairs(): number;
  characters(): number;
  counts(): Statistics;
  statistics(): string;
}

/**
 * In a larger file, words of answers and trigrams are counted in one pair of eight: only the share of texts that have a term
 * matters, and counting is most of the work of an import.
 */
const COUNTED_WHOLE_PAIRS = 2_000;
const COUNTED_ONE_IN = 8;

/** `tagsOf` says which tags a pair keeps that comes without any word of them. */
export function createPairIndexer(
  knowledgeBaseId: string,
  tagsOf: (pair: StoredPair) => string[] = () => [],
): PairIndexer {
  const prefix = lexemePrefix(knowledgeBaseId);
  const statistics = noStatistics();
  let characters = 0;

  async function indexOne(pair: StoredPair, giveWay: () => Promise<void> | undefined): Promise<IndexedPair> {
    const isCounted = statistics.pairs < COUNTED_WHOLE_PAIRS || statistics.pairs % COUNTED_ONE_IN === 0;
    const texts = await indexedTexts(pair, (form, terms) => {
      countText(statistics.question, terms);
      if (isCounted) countText(statistics.trigram, trigramsOf(form));
      return giveWay();
    });
    if (isCounted) countText(statistics.answer, texts.answer);
    statistics.pairs += 1;
    characters += pair.question.length + pair.answer.length;
    const tags = pair.tags ?? tagsOf(pair);
    return { ...pair, tags, lexemes: pairLexemes(prefix, texts, tags) };
  }

  return {
    async index(pairs) {
      const indexed: IndexedPair[] = [];
      const giveWay = createTimeSlice();
      for (const pair of pairs) {
        indexed.push(await indexOne(pair, giveWay));
        await giveWay();
      }
      return indexed;
    },
    pairs: () => statistics.pairs,
    characters: () => characters,
    counts: () => statistics,
    statistics: () => writeStatistics(statistics),
  };
}
