import type { Candidate } from "./candidates.ts";
import type { LexicalScore } from "./score.ts";

/**
 * What each sign says for a pair, in log odds: of words that are shared, of what was asked and the pair is silent about, and of the
 * built-in encoder's cosines. Fitted on two sets without the shipped synonyms and rounded; bench/results/2026-11-19-answers.md.
 */
const WORDS_WEIGHT = 2;
const UNSUPPORTED_WEIGHT = -3.5;
const QUESTION_WEIGHT = 7;
const ANSWER_WEIGHT = 9;
const PAIR_WEIGHT = 7;
/** For what nothing here answers: with no sign at all a pair is a hundred times less likely than that. */
const BASE_LOG_ODDS = -4.5;
/** Pairs that all could be meant make each other less likely; more of them than these are hardly near. */
export const RIVALS = 5;

/** Undefined where the pair has no vector yet, or none can be made of it. */
export function logOddsOf(
  { questionCosine, answerCosine, pairCosine }: Candidate,
  { lexical, unsupported }: LexicalScore,
): number | undefined {
  // Each of its texts says something of the others.
  const question = questionCosine ?? pairCosine;
  const pair = pairCosine ?? questionCosine;
  if (question === undefined || pair === undefined) return undefined;
  return (
    BASE_LOG_ODDS +
    WORDS_WEIGHT * lexical +
    UNSUPPORTED_WEIGHT * unsupported +
    QUESTION_WEIGHT * question +
    ANSWER_WEIGHT * (answerCosine ?? pair) +
    PAIR_WEIGHT * pair
  );
}

/** How likely each of these is meant, best first, with "none of them" as a rival: together at most 1. */
export function likelihoodsOf(logOdds: readonly number[]): number[] {
  const rivals = logOdds.slice(0, RIVALS).reduce((sum, one) => sum + Math.exp(one), 0);
  return logOdds.map((one) => Math.exp(one) / (1 + rivals));
}
