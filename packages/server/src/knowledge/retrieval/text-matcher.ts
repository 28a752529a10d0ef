import { createPlaceTable } from "./place-table.ts";
import { isUnspaced, readWords, termOf, type ReadWords } from "./terms.ts";
import type { IndexedText, TextIndex } from "./text-index.ts";
import { eachNeighbours, eachTrigram, keyOf } from "./text-keys.ts";

/** How often each of the sought occurs in a text. */
export interface Counts {
  /** Counts all terms of the text, sought or not. */
  length: number;
  /** Places of those that occur, each once. */
  found: number[];
  /** By place. */
  counts: Uint16Array;
}

/** What was counted is valid until the next text is read. */
export interface TextMatcher {
  terms(text: string | IndexedText): Counts;
  termsAndTrigrams(text: string | IndexedText): { terms: Counts; trigrams: Counts };
}

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

  const addNeighbours = (key: number) => add(terms, neighbours.placeOf(key));
  const addTrigram = (key: number) => add(trigrams, sequences.placeOf(key));
  let indexed: { index: TextIndex; places: Int16Array } | undefined;

  return {
    terms(text) {
      if (typeof text === "string") countTerms(readWords(text));
      else countIndexedTerms(text);
      return terms;
    },
    termsAndTrigrams(text) {
      if (typeof text === "string") {
        const read = readWords(text);
        countTerms(read);
        countTrigrams(read);
      } else {
        countIndexedTerms(text);
        countIndexedTrigrams(text);
      }
      return { terms, trigrams };
    },
  };

  function countTerms({ spacedWords, unspacedRuns }: ReadWords): void {
    clear(terms);
    for (const run of unspacedRuns) eachNeighbours(run, addNeighbours);
    terms.length += spacedWords.length;
    for (const word of spacedWords)
      if (beginnings.has(word.charCodeAt(0))) addSought(terms, placeOfWord(word));
  }

  function countTrigrams({ words }: ReadWords): void {
    clear(trigrams);
    eachTrigram(words, addTrigram);
  }

  function countIndexedTerms({ index, start, neighboursEnd, wordsEnd }: IndexedText): void {
    clear(terms);
    const { numbers } = index;
    const places = placesIn(index);
    for (let at = start; at < neighboursEnd; at += 1) addNeighbours(numbers[at]!);
    for (let at = neighboursEnd; at < wordsEnd; at += 1) add(terms, places[numbers[at]!]!);
  }

  function countIndexedTrigrams({ index: { numbers }, wordsEnd, end }: IndexedText): void {
    clear(trigrams);
    for (let at = wordsEnd; at < end; at += 1) addTrigram(numbers[at]!);
  }

  /** By the number of a word. */
  function placesIn(index: TextIndex): Int16Array {
    if (indexed?.index === index) return indexed.places;
    const places = new Int16Array(index.wordCount).fill(NOT_SOUGHT);
    for (const [term, place] of words) for (const word of index.wordsOf(term)) places[word] = place;
    indexed = { index, places };
    return places;
  }

  function placeOfWord(word: string): number {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    const place = words.get(termOf(word)) ?? NOT_SOUGHT;
    if (remembered.size < WORDS_REMEMBERED_MAX) remembered.set(word, place);
    return place;
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

function add(counted: Counts, place: number): void {
  counted.length += 1;
  addSought(counted, place);
}

function addSought({ found, counts }: Counts, place: number): void {
  if (place === NOT_SOUGHT) return;
  if (counts[place] === 0) found.push(place);
  counts[place]! += 1;
}
