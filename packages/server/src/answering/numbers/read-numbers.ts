import { normalized } from "@signalbox/contract";
import { languageOf } from "../../knowledge/index.ts";
import { chineseNumbersIn, openChineseNumberFrom } from "./chinese-numbers.ts";
import { englishNumbersIn, openEnglishNumberFrom } from "./english-numbers.ts";
import type { WrittenNumber } from "./written-number.ts";

/** "1,000" is one number. Its groups are two where a list was meant. */
const DIGITS = /\d{1,3}(?:,\d{3})+(?!\d)|\d+/g;
const ACCENTED = /[à-öø-ÿ\u0100-\u024f]/;

/** Every number of a text, in digits or in English or Chinese words. */
export function readNumbers(text: string): WrittenNumber[] {
  const plain = normalized(text).toLowerCase();
  return [...digitsIn(plain), ...englishNumbersIn(plain), ...chineseNumbersIn(plain)];
}

function digitsIn(text: string): WrittenNumber[] {
  return [...text.matchAll(DIGITS)].map(({ 0: digits, index }) => ({
    value: withoutZeros(digits.replaceAll(",", "")),
    parts: digits.includes(",") ? digits.split(",").map(withoutZeros) : [],
    from: index,
    to: index + digits.length,
    inWords: false,
    isIncidental: false,
  }));
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, "");
}

/** All that a source states, for `states`. */
export function statedBy(numbers: readonly WrittenNumber[]): Set<string> {
  return new Set(numbers.flatMap(({ value, parts }) => [value, ...parts]));
}

export function states(stated: ReadonlySet<string>, { value, parts }: WrittenNumber): boolean {
  return stated.has(value) || (parts.length > 0 && parts.every((part) => stated.has(part)));
}

/** In other languages the same letters are other words: Polish "ten" is no number. */
export function mayHaveNumberWords(text: string, tongue = languageOf(text)): boolean {
  return tongue === "en" || (tongue === undefined && !ACCENTED.test(text.toLowerCase()));
}

/** Without a number in words at its end that what comes next may change. */
export function withoutOpenNumber(text: string): string {
  return text.slice(0, Math.min(openEnglishNumberFrom(text), openChineseNumberFrom(text)));
}
