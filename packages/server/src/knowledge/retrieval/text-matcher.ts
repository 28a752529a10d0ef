import { createPlaceTable } from "./place-table.ts";
import { isUnspaced, readWords, termOf } from "./terms.ts";

/** How often each of the sought occurs in a text. */
export interface Counts {
  /** Of all in the text, sought or not. */
  length: number;
  /** Places of those that occur, each once. */
  found: number[];
  /** By place. */
  counts: Uint16Array;
}

/** What was counted is valid until the next text is read. */
export interface TextMatcher {
  terms(text: string): Counts;
  termsAndTrigrams(text: string): { terms: Counts; trigrams: Counts };
}

const SPACE = 0x20;
const NOT_SOUGHT = -1;
/** Words that begin as a sought one does are remembered with their place, so that the stem of each is looked for once. */
const WORDS_REMEMBERED_MAX = 10_000;

/** Counts what `termsOf` and `trigramsOf` would give for a text, without making them: most of a text is nothing that is sought. */
export function createTextMatcher(
  soughtTerms: readonly string[],
  soughtTrigrams: readonly string[],
): TextMatcher {
  const numbered = soughtTerms.map((term, place) => [term, place] as const);
  const words = new Map(numbered.filter(([term]) => !isUnspaced(term)));
  const neighbours = createPlaceTable(
    numbered.filter(([term]) => isUnspaced(term)).map(([term, place]) => [keyOf(term), place]),
  );
  const sequences = createPlaceTable(soughtTrigrams.map((trigram, place) => [keyOf(trigram), place]));
  const beginnings = new Set(words.keys().map((word) => word.charCodeAt(0)));
  const remembered = new Map<string, number>();
  const terms = noCounts(soughtTerms.length);
  const trigrams = noCounts(soughtTrigrams.length);

  return {
    terms(text) {
      countTerms(readWords(text));
      return terms;
    },
    termsAndTrigrams(text) {
      const read = readWords(text);
      countTerms(read);
      countTrigrams(read.words);
      return { terms, trigrams };
    },
  };

  function countTerms({ spacedWords, unspacedRuns }: ReturnType<typeof readWords>): void {
    clear(terms);
    for (const run of unspacedRuns) countNeighbours(run);
    terms.length += spacedWords.length;
    for (const word of spacedWords) if (beginnings.has(word.charCodeAt(0))) add(terms, placeOfWord(word));
  }

  function placeOfWord(word: string): number {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    const place = words.get(termOf(word)) ?? NOT_SOUGHT;
    if (remembered.size < WORDS_REMEMBERED_MAX) remembered.set(word, place);
    return place;
  }

  function countNeighbours(run: string): void {
    let before = 0;
    let pairs = 0;
    for (let at = 0; at < run.length;) {
      const code = run.codePointAt(at)!;
      if (before !== 0) add(terms, neighbours.placeOf(keyOfTwo(before, code)));
      before = code;
      pairs += 1;
      at += code > 0xffff ? 2 : 1;
    }
    if (pairs === 1) add(terms, neighbours.placeOf(keyOfTwo(0, before)));
    terms.length += Math.max(1, pairs - 1);
  }

  function countTrigrams(words: readonly string[]): void {
    clear(trigrams);
    if (words.length === 0) return;
    let written = 1;
    let before = 0;
    let last = SPACE;
    const write = (code: number) => {
      written += 1;
      if (written > 2) add(trigrams, sequences.placeOf(keyOfThree(before, last, code)));
      before = last;
      last = code;
    };
    for (const word of words) {
      for (let at = 0; at < word.length;) {
        const code = word.codePointAt(at)!;
        write(code);
        at += code > 0xffff ? 2 : 1;
      }
      write(SPACE);
    }
    trigrams.length = Math.max(0, written - 2);
  }
}

function noCounts(size: number): Counts {
  return { length: 0, found: [], counts: new Uint16Array(size) };
}

function clear(counted: Counts): void {
  counted.length = 0;
  for (const place of counted.found) counted.counts[place] = 0;
  counted.found.length = 0;
}

function add({ found, counts }: Counts, place: number): void {
  if (place === NOT_SOUGHT) return;
  if (counts[place] === 0) found.push(place);
  counts[place]! += 1;
}

/** Two different ones of the same key are one in billions. */
function keyOf(sequence: string): number {
  const [one = 0, two = 0, three] = Array.from(sequence, (character) => character.codePointAt(0)!);
  if (three !== undefined) return keyOfThree(one, two, three);
  return two === 0 ? keyOfTwo(0, one) : keyOfTwo(one, two);
}

function keyOfTwo(one: number, two: number): number {
  return Math.imul(one, 0x10001) ^ Math.imul(two, 0x85ebca6b);
}

function keyOfThree(one: number, two: number, three: number): number {
  // Exact for three of ASCII.
  if ((one | two | three) < 0x80) return (one << 14) | (two << 7) | three;
  return Math.imul(Math.imul(one, 0x85ebca6b) ^ two, 0xc2b2ae35) ^ three;
}
