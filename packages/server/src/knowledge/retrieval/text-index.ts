import { readWords, termOf } from "./terms.ts";
import { eachNeighbours, eachTrigram } from "./text-keys.ts";

/** Texts that were read once for all questions: their words, neighbours and trigrams as numbers, one text behind the other. */
export interface TextIndex {
  numbers: Int32Array;
  /** How many different words the texts have; each is a number below it. */
  wordCount: number;
  /** The words with this stem. */
  wordsOf(term: string): readonly number[];
}

/** Where one text stands in `numbers`. */
export interface IndexedText {
  index: TextIndex;
  start: number;
  neighboursEnd: number;
  wordsEnd: number;
  /** The end of its trigrams, which an answer has none of. */
  end: number;
}

export interface TextIndexBuilder {
  addQuestion(text: string): IndexedText;
  addAnswer(text: string): IndexedText;
  /** Once, after the last text. */
  finish(): { bytes: number };
}

/** An estimate, on the safe side, of a word and its stem. */
const WORD_BYTES = 200;

const NONE: readonly number[] = [];

export function createTextIndexBuilder(): TextIndexBuilder {
  const written: number[] = [];
  const numberOfWord = new Map<string, number>();
  const wordsOfTerm = new Map<string, number[]>();
  const write = (key: number) => void written.push(key);
  const index: TextIndex = {
    numbers: new Int32Array(),
    wordCount: 0,
    wordsOf: (term) => wordsOfTerm.get(term) ?? NONE,
  };

  function numberOf(word: string): number {
    const known = numberOfWord.get(word);
    if (known !== undefined) return known;
    const number = numberOfWord.size;
    numberOfWord.set(word, number);
    const term = termOf(word);
    const words = wordsOfTerm.get(term);
    if (words === undefined) wordsOfTerm.set(term, [number]);
    else words.push(number);
    return number;
  }

  function add(text: string, withTrigrams: boolean): IndexedText {
    const { words, spacedWords, unspacedRuns } = readWords(text);
    const start = written.length;
    for (const run of unspacedRuns) eachNeighbours(run, write);
    const neighboursEnd = written.length;
    for (const word of spacedWords) write(numberOf(word));
    const wordsEnd = written.length;
    if (withTrigrams) eachTrigram(words, write);
    return { index, start, neighboursEnd, wordsEnd, end: written.length };
  }

  return {
    addQuestion: (text) => add(text, true),
    addAnswer: (text) => add(text, false),
    finish() {
      index.numbers = Int32Array.from(written);
      index.wordCount = numberOfWord.size;
      return { bytes: index.numbers.byteLength + WORD_BYTES * index.wordCount };
    },
  };
}
