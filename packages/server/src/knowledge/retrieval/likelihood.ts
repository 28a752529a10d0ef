import type { Candidate } from "./candidates.ts";
import type { LexicalScore } from "./score.ts";

/**
 * What each sign says for a pair, in log odds: the built-in encoder's cosines with question, answer and both, and what was asked and
 * the pair is silent about. Fitted without the shipped synonyms, each set by the others, and rounded:
 * bench/results/2026-11-19-answers.md.
 */
export interface SignWeights {
  cosine: number;
  unsupported: number;
  /** For the words that are shared; where English is read, its cosines have all of that in them. */
  words: number;
  /** For what nothing here answers: with no sign at all a pair is less likely than that. */
  none: number;
}

export const ENGLISH_WEIGHTS: SignWeights = { cosine: 8, unsupported: -2, words: 0, none: -6 };
/** Fitted the same way on both Chinese sets. */
export const GLOSS_WEIGHTS: SignWeights = { cosine: 4.5, unsupported: -1.5, words: 6, none: -4 };
/** Pairs that all could be meant make each other less likely; more of them than these are hardly near. */
export const RIVALS = 5;

/** Undefined where the pair has no vector yet, or none can be made of it. */
export function logOddsOf(
  { questionCosine, answerCosine, pairCosine }: Candidate,
  { lexical, unsupported }: LexicalScore,
  weights: SignWeights = ENGLISH_WEIGHTS,
): number | undefined {
  // Each of its texts says something of the others.
  const question = questionCosine ?? pairCosine;
  const pair = pairCosine ?? questionCosine;
  if (question === undefined || pair === undefined) return undefined;
  return (
    weights.none +
    weights.words * lexical +
    weights.unsupported * unsupported +
    weights.cosine * (question + (answerCosine ?? pair) + pair)
  );
}

/** How likely each of these is meant, best first, with "none of them" as a rival: together at most 1. */
export function likelihoodsOf(logOdds: readonly number[]): number[] {
  const rivals = logOdds.slice(0, RIVALS).reduce((sum, one) => sum + Math.exp(one), 0);
  return logOdds.map((one) => Math.exp(one) / (1 + rivals));
}
