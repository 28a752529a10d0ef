import { normalized } from "@signalbox/contract";
import { simplified } from "../../platform/index.ts";
import { stemOf } from "./stem.ts";

/** Raised when the same text gives other terms than before: what is stored was made by the rule of its time. */
export const TERMS_VERSION = 3;

/** Scripts whose words are not found by looking for blanks. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
/** C++ and C# are words of their own, or both would be the letter C. */
const WORD = /\p{L}{1,2}(?:\+\+|#)(?![\p{L}\p{N}])|[\p{L}\p{N}\p{M}]+/gu;
const ASCII_WORD = /[a-z]{1,2}(?:\+\+|#)(?![a-z0-9])|[a-z0-9]+/g;
const ASCII = /^\p{ASCII}*$/u;
const ACCENTS = /[\u0300-\u036f]+/g;
/** Chinese and Japanese as they are mostly written: folding changes none of their letters. */
const FOLDED_ALREADY = /^[\p{ASCII}\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff，。？！：；（）、“”《》]*$/u;
const TERM_MAX_CHARACTERS = 64;

/** One spelling of what people spell in many ways: width, case, Traditional Chinese, and accents left out on a telephone. */
function foldedText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  if (FOLDED_ALREADY.test(text)) return simplified(text.toLowerCase());
  return simplified(normalized(normalized(text, "NFKD").replace(ACCENTS, "")).toLowerCase());
}

export interface ReadWords {
  /** Letters and digits that stand together, of whatever script. */
  words: readonly string[];
  /** Those of scripts that put blanks between words. */
  spacedWords: readonly string[];
  /** Runs of scripts that put none. */
  unspacedRuns: readonly string[];
}

const NONE: readonly string[] = [];

export function readWords(text: string): ReadWords {
  const folded = foldedText(text);
  if (ASCII.test(folded)) {
    const words = folded.match(ASCII_WORD) ?? NONE;
    return { words, spacedWords: words, unspacedRuns: NONE };
  }
  const words = folded.match(WORD) ?? NONE;
  const unspacedRuns = folded.match(UNSPACED);
  if (unspacedRuns === null) return { words, spacedWords: words, unspacedRuns: NONE };
  return { words, spacedWords: folded.replaceAll(UNSPACED, " ").match(WORD) ?? NONE, unspacedRuns };
}

/** Whether this term came from a script that puts no blanks between words. */
export function isUnspaced(term: string): boolean {
  return term.search(UNSPACED) === 0;
}

/** The words of a text as stems; scripts without blanks give pairs of neighbouring characters. */
export function termsOf(text: string): string[] {
  const { spacedWords, unspacedRuns } = readWords(text);
  const terms: string[] = [];
  for (const run of unspacedRuns) addNeighbours(terms, run);
  for (const word of spacedWords) terms.push(termOf(word));
  return terms;
}

export function termOf(word: string): string {
  const stem = stemOf(word);
  return stem.length <= TERM_MAX_CHARACTERS ? stem : [...stem].slice(0, TERM_MAX_CHARACTERS).join("");
}

function addNeighbours(terms: string[], run: string): void {
  const characters = [...run];
  if (characters.length === 1) terms.push(run);
  for (let index = 0; index + 1 < characters.length; index += 1)
    terms.push(`${characters[index]}${characters[index + 1]}`);
}

/** Three characters at a time over the words and the gaps between them: typing errors and endings spoil only a few. */
export function trigramsOf(text: string): string[] {
  const spaced = spacedText(text);
  const trigrams: string[] = [];
  if (ASCII.test(spaced)) {
    for (let index = 0; index + 2 < spaced.length; index += 1) trigrams.push(spaced.slice(index, index + 3));
    return trigrams;
  }
  const characters = [...spaced];
  for (let index = 0; index + 2 < characters.length; index += 1)
    trigrams.push(`${characters[index]}${characters[index + 1]}${characters[index + 2]}`);
  return trigrams;
}

function spacedText(text: string): string {
  const { words } = readWords(text);
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
