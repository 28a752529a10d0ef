import { questionKey } from "../intake/index.ts";
import { commonShare } from "../retrieval/common-terms.ts";
import { termsOf, trigramsOf } from "../retrieval/terms.ts";
import type { StoredPair } from "./index-pairs.ts";

const ANSWER_LIKENESS = 0.8;

/**
 * Says once what chunks of one document say twice: the same pair, or one that a model put into slightly other words, of
 * which the longer answer stays. Where a number or a word of weight differs, it is another pair.
 */
export function dropRepeats(pairs: StoredPair[]): { pairs: StoredPair[]; duplicates: number } {
  const exact = new Set<string>();
  const alike = new Map<string, StoredPair[]>();
  const dropped = new Set<StoredPair>();
  for (const pair of pairs) {
    const plain = `${questionKey(pair.question)}\n${pair.answer}`;
    // Other alternates would be lost with a pair that is dropped.
    const key = pair.alternates.length === 0 ? plain : `${plain}\n${pair.alternates.join("\n")}`;
    if (exact.has(key)) dropped.add(pair);
    exact.add(plain).add(key);
    if (pair.origin !== "model" || dropped.has(pair)) continue;
    const meaning = weightyTerms(pair.question);
    if (meaning === "") continue;
    const others = alike.get(meaning) ?? [];
    const repeated = others.find((other) => !dropped.has(other) && isSameAnswer(pair.answer, other.answer));
    if (repeated !== undefined) dropped.add(pair.answer.length > repeated.answer.length ? repeated : pair);
    alike.set(meaning, [...others, pair]);
  }
  return { pairs: pairs.filter((pair) => !dropped.has(pair)), duplicates: dropped.size };
}

/** A question without the words that any question has, in no order. */
function weightyTerms(question: string): string {
  const terms = new Set(termsOf(question).filter((term) => commonShare(term) === 0));
  return [...terms].toSorted().join(" ");
}

function isSameAnswer(one: string, other: string): boolean {
  if (numbersIn(one) !== numbersIn(other)) return false;
  const [a, b] = [new Set(trigramsOf(one)), new Set(trigramsOf(other))];
  return a.intersection(b).size >= ANSWER_LIKENESS * Math.sqrt(a.size * b.size);
}

function numbersIn(text: string): string {
  return [...text.matchAll(/\d+/g)]
    .map(([digits]) => digits)
    .toSorted()
    .join(" ");
}
