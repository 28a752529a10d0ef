import { stemOf } from "./stem.ts";

/** Raised when the same text gives other terms than before: what is stored was made by the rule of its time. */
export const TERMS_VERSION = 2;

/** Scripts whose words are not found by looking for blanks. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
/** C++ and C# are words of their own, or both would be the letter C. */
const WORD = /\p{L}{1,2}(?:\+\+|#)(?![\p{L}\p{N}])|[\p{L}\p{N}\p{M}]+/gu;
const ASCII_WORD = /[a-z]{1,2}(?:\+\+|#)(?![a-z0-9])|[a-z0-9]+/g;
const ASCII = /^\p{ASCII}*$/u;
const ACCENTS = /[\u0300-\u036f]+/g;
const TERM_MAX_CHARACTERS = 64;

/** One spelling of what people spell in many ways: width, case, and the accents they leave out on a telephone. */
function foldedText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(ACCENTS, "").normalize("NFKC").toLowerCase();
}

/** The words of a text in their order, as stems; scripts without blanks give pairs of neighbouring characters. */
export function termsOf(text: string): string[] {
  const folded = foldedText(text);
  if (ASCII.test(folded)) return (folded.match(ASCII_WORD) ?? []).map(termOf);
  const terms: string[] = [];
  let spaced = folded;
  const runs = folded.match(UNSPACED);
  if (runs !== null) {
    for (const run of runs) addNeighbours(terms, run);
    spaced = folded.replaceAll(UNSPACED, " ");
  }
  for (const [word] of spaced.matchAll(WORD)) terms.push(termOf(word));
  return terms;
}

function termOf(word: string): string {
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
  const spaced = spacedWords(text);
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

/** The same as numbers, which need no memory of their own; undefined for a text that is not all ASCII. */
export function trigramCodesOf(text: string): number[] | undefined {
  const spaced = spacedWords(text);
  if (!ASCII.test(spaced)) return undefined;
  const codes: number[] = [];
  for (let index = 0; index + 2 < spaced.length; index += 1) codes.push(codeAt(spaced, index));
  return codes;
}

/** The number of a trigram that is all ASCII; undefined for another. */
export function trigramCode(trigram: string): number | undefined {
  return ASCII.test(trigram) ? codeAt(trigram, 0) : undefined;
}

function codeAt(text: string, index: number): number {
  return (text.charCodeAt(index) << 14) | (text.charCodeAt(index + 1) << 7) | text.charCodeAt(index + 2);
}

function spacedWords(text: string): string {
  const folded = foldedText(text);
  const words = ASCII.test(folded) ? folded.match(ASCII_WORD) : folded.match(WORD);
  return words === null ? "" : ` ${words.join(" ")} `;
}
