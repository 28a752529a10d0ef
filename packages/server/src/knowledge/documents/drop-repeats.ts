import { setImmediate as nextTurn } from "node:timers/promises";
import { questionKey } from "../intake/index.ts";
import { trigramsOf } from "../retrieval/terms.ts";
import type { StoredPair } from "./index-pairs.ts";

const QUESTION_LIKENESS = 0.9;
const ANSWER_LIKENESS = 0.8;
/** Every pair is compared with every other, so only as long as that is quick. */
const COMPARED_MAX = 3_000;
const SLICE_MS = 8;

/** Says once what chunks of one document say twice: the same pair, or nearly the same from a model, whose longer answer stays. */
export async function dropRepeats(pairs: StoredPair[]): Promise<{ pairs: StoredPair[]; duplicates: number }> {
  const seen = new Set<string>();
  const different = pairs.filter(({ question, answer }) => {
    const key = `${questionKey(question)}\n${answer}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const kept = await withoutNearRepeats(different);
  return { pairs: kept, duplicates: pairs.length - kept.length };
}

async function withoutNearRepeats(pairs: StoredPair[]): Promise<StoredPair[]> {
  const made = pairs.filter(({ origin }) => origin === "model");
  if (made.length < 2 || made.length > COMPARED_MAX) return pairs;
  const read = made.map((pair) => ({
    pair,
    question: new Set(trigramsOf(pair.question)),
    answer: new Set(trigramsOf(pair.answer)),
  }));
  const dropped = new Set<StoredPair>();
  let since = performance.now();
  for (const [index, one] of read.entries()) {
    if (performance.now() - since > SLICE_MS) {
      await nextTurn();
      since = performance.now();
    }
    for (const other of read.slice(0, index)) {
      if (dropped.has(other.pair) || dropped.has(one.pair)) continue;
      if (likeness(one.question, other.question) < QUESTION_LIKENESS) continue;
      if (likeness(one.answer, other.answer) < ANSWER_LIKENESS) continue;
      dropped.add(one.pair.answer.length > other.pair.answer.length ? other.pair : one.pair);
    }
  }
  return pairs.filter((pair) => !dropped.has(pair));
}

/** Cosine of two sets. */
function likeness(one: Set<string>, other: Set<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  // The smaller one cannot share more than all of itself.
  if (Math.min(one.size, other.size) < QUESTION_LIKENESS ** 3 * Math.max(one.size, other.size)) return 0;
  return one.intersection(other).size / Math.sqrt(one.size * other.size);
}
