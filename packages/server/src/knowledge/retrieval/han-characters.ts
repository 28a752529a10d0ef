import { simplified } from "../../platform/index.ts";
import type { FieldStatistics, Statistics } from "./statistics.ts";
import { isUnspaced } from "./terms.ts";

/** The Han characters of what was asked, each with how much it says in this base. */
export interface HanCharacters {
  weights: Map<string, number>;
  total: number;
}

const HAN = /\p{Script=Han}/u;
const ALL_HAN = /\p{Script=Han}/gu;
/** Beside the words: one character often is a word, and two that are written together often are none. */
const WEIGHT = 0.5;
/** A character that only the answer has. */
const IN_ANSWER = 0.3;
const TEXTS_ASSUMED = 100;
/** Reading more would hold up others for longer than 20 ms. */
const VOCABULARY_MAX = 50_000;

const occurrencesOf = new WeakMap<Statistics, Map<string, number>>();

/** Undefined where nothing was asked in Han characters. */
export function readHan(statistics: Statistics, text: string): HanCharacters | undefined {
  const characters = new Set(simplified(text).match(ALL_HAN));
  if (characters.size === 0) return undefined;
  let occurrences = occurrencesOf.get(statistics);
  if (occurrences === undefined)
    occurrencesOf.set(statistics, (occurrences = countCharacters(statistics.question)));
  const { texts } = statistics.question;
  const weights = new Map<string, number>();
  let total = 0;
  for (const character of characters) {
    const count = Math.min(texts, occurrences.get(character) ?? 0);
    const weight = Math.log(1 + (texts + TEXTS_ASSUMED - count + 0.5) / (count + 0.5));
    weights.set(character, weight);
    total += weight;
  }
  return { weights, total };
}

/** In how many texts, nearly: inside a run a character is part of two pairs. */
function countCharacters({ occurrences }: FieldStatistics): Map<string, number> {
  const counted = new Map<string, number>();
  if (occurrences.size > VOCABULARY_MAX) return counted;
  for (const [term, texts] of occurrences)
    if (isUnspaced(term))
      for (const character of term)
        if (HAN.test(character)) counted.set(character, (counted.get(character) ?? 0) + texts / 2);
  return counted;
}

/** How much of what was asked the pair has, character by character. */
export function hanShare(
  { weights, total }: HanCharacters,
  { questions, answer }: { questions: string[]; answer: string },
): number {
  let best = 0;
  const answered = simplified(answer);
  for (const question of questions.map(simplified)) {
    let sum = 0;
    for (const [character, weight] of weights) {
      if (question.includes(character)) sum += weight;
      else if (answered.includes(character)) sum += weight * IN_ANSWER;
    }
    best = Math.max(best, sum);
  }
  return best / total;
}

export function withHan(byWords: number, byCharacters: number): number {
  return (byWords + WEIGHT * byCharacters) / (1 + WEIGHT);
}
