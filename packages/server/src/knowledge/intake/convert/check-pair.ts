import { normalized } from "@signalbox/contract";
import type { SaidPair } from "./read-reply.ts";

const QUOTE_WEIGHT_MIN = 12;
const SHARED_TERMS_MIN = 0.5;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"')\]]+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.+-]+/gi;
const NUMBER = /\p{Nd}+(?:[.,:]\p{Nd}+)*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;
const WORD = /[\p{L}\p{M}]{3,}/gu;

/** The text of a chunk, prepared once for all pairs that were made of it. */
export function createSupportCheck(text: string): (pair: SaidPair) => boolean {
  const flat = flatten(text);
  const plain = normalized(text).toLowerCase();
  const terms = termsOf(text);

  /**
   * Whether the text itself stands behind a pair. A model that obeys the text instead of us can say what it likes: what
   * it says must still be found here, with every number and address.
   */
  return ({ question, answer, quote }) => {
    if (flatten(question) === flatten(answer)) return false;
    const support = flatten(quote ?? answer);
    if (!flat.includes(support) || weightOf(support) < Math.min(QUOTE_WEIGHT_MIN, weightOf(flat)))
      return false;
    const said = normalized(answer).toLowerCase();
    for (const [address] of said.matchAll(ADDRESS))
      if (!plain.includes(address.replace(/(?<![.,;:])[.,;:]+$/, ""))) return false;
    for (const [number] of said.matchAll(NUMBER)) if (!plain.includes(number)) return false;
    const answered = [...termsOf(answer)];
    if (answered.length === 0) return true;
    return answered.filter((term) => terms.has(term)).length >= answered.length * SHARED_TERMS_MIN;
  };
}

/** Letters and digits alone: blanks, quotes, dashes and marks of emphasis come out differently every time. */
function flatten(text: string): string {
  return normalized(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
}

/** A character of a script without blanks says about as much as three letters. */
function weightOf(text: string): number {
  let unspaced = 0;
  for (const [run] of text.matchAll(UNSPACED)) unspaced += run.length;
  return text.length + 2 * unspaced;
}

/** Words by their first letters, so that endings do not matter; pairs of characters where words have no blanks. */
function termsOf(text: string): Set<string> {
  const folded = normalized(text).toLowerCase();
  const terms = new Set<string>();
  for (const [run] of folded.matchAll(UNSPACED)) {
    for (let at = 0; at + 1 < run.length; at += 1) terms.add(run.slice(at, at + 2));
  }
  for (const [word] of folded.replaceAll(UNSPACED, " ").matchAll(WORD)) terms.add(word.slice(0, 5));
  return terms;
}
