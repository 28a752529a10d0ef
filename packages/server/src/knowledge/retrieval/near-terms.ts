import type { Statistics } from "./statistics.ts";
import { isUnspaced } from "./terms.ts";

/** A term of the base that is spelled almost like one it does not know. */
export interface NearTerm {
  term: string;
  /** Dice coefficient of their letter pairs, at most 1. */
  alikeness: number;
}

const ALIKE_MIN = 0.4;
const NEAR_MAX = 5;
const NEAR_UNSPACED_MAX = 12;
/** One letter or two are a slip of nothing. */
const SPACED_CHARACTERS_MIN = 3;
/** Reading more would hold up others for longer than 20 ms. */
const VOCABULARY_MAX = 10_000;

/** The terms of a base's questions, by what a misspelt word would share with them. */
interface Spellings {
  terms: string[];
  /** Letter pairs of each. */
  sizes: Uint16Array;
  byPair: Map<string, number[]>;
  /** Pairs of characters in scripts without blanks, by either character. */
  byCharacter: Map<string, string[]>;
}

const spellingsOf = new WeakMap<Statistics, Spellings>();

/** For each term that no question of the base has, those it may have been meant to be, nearest first. */
export function nearTerms(statistics: Statistics, asked: readonly string[]): Map<string, NearTerm[]> {
  const near = new Map<string, NearTerm[]>();
  if (statistics.question.occurrences.size > VOCABULARY_MAX) return near;
  for (const term of asked) {
    if (statistics.question.occurrences.has(term)) continue;
    let spellings = spellingsOf.get(statistics);
    if (spellings === undefined) spellingsOf.set(statistics, (spellings = readSpellings(statistics)));
    const found = isUnspaced(term) ? sharingCharacter(spellings, term) : sharingPairs(spellings, term);
    if (found.length > 0) near.set(term, found);
  }
  return near;
}

function sharingPairs({ terms, sizes, byPair }: Spellings, term: string): NearTerm[] {
  if (term.length < SPACED_CHARACTERS_MIN) return [];
  const pairs = letterPairs(term);
  const shared = new Map<number, number>();
  for (const pair of pairs)
    for (const at of byPair.get(pair) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
  return [...shared]
    .map(([at, count]) => ({ term: terms[at]!, alikeness: (2 * count) / (pairs.size + sizes[at]!) }))
    .filter(({ alikeness }) => alikeness >= ALIKE_MIN)
    .toSorted((one, other) => other.alikeness - one.alikeness)
    .slice(0, NEAR_MAX);
}

function sharingCharacter({ byCharacter }: Spellings, term: string): NearTerm[] {
  const [first = "", last = ""] = [...term];
  return [...(byCharacter.get(first) ?? []), ...(byCharacter.get(last) ?? [])]
    .slice(0, NEAR_UNSPACED_MAX)
    .map((other) => ({ term: other, alikeness: 0.5 }));
}

function readSpellings({ question }: Statistics): Spellings {
  const terms = [...question.occurrences.keys()];
  const sizes = new Uint16Array(terms.length);
  const byPair = new Map<string, number[]>();
  const byCharacter = new Map<string, string[]>();
  for (const [at, term] of terms.entries()) {
    if (isUnspaced(term)) {
      for (const character of term) put(byCharacter, character, term);
      continue;
    }
    const pairs = letterPairs(term);
    sizes[at] = pairs.size;
    for (const pair of pairs) put(byPair, pair, at);
  }
  return { terms, sizes, byPair, byCharacter };
}

function put<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

export function letterPairs(term: string): Set<string> {
  const letters = [" ", ...term, " "];
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < letters.length; at += 1) pairs.add(`${letters[at]}${letters[at + 1]}`);
  return pairs;
}
