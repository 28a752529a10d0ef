import type { AgentSettings } from "../agents/index.ts";
import type { FoundPair } from "../knowledge/index.ts";

/** What becomes of a question: the pair word for word, an answer from pairs, a choice of questions, or none of these. */
export type Decision = "direct" | "model" | "offer" | "fallback";

/** How a score came about decides what it is worth. */
export type SearchedBy = "words" | "han" | "meaning" | Likelihood;
/** By English texts, or by glosses: these say which pairs may be meant, and never which one is. */
type Likelihood = "likelihood" | "glosses";

export interface Thresholds {
  /** Score from which a pair's answer is given word for word, also where a model could answer. */
  direct: number;
  /** Confidence from which the best pair answers. */
  answer: number;
  /**
   * Score, less what the pair is silent about, from which its question is worth offering; for likelihoods, how likely it must be that
   * any pair is meant.
   */
  offer: number;
}

// For at most 3 % wrong answers over the paraphrase sets, all of which were in view: bench/results/2026-11-16-answers.md.
const THRESHOLDS: Record<SearchedBy, Thresholds> = {
  words: { direct: 0.93, answer: 0.4, offer: 0.15 },
  han: { direct: 0.93, answer: -0.18, offer: 0.07 },
  meaning: { direct: 0.75, answer: 0.15, offer: 0.17 },
  // Probabilities: bench/results/2026-11-19-answers.md has what others would cost.
  likelihood: { direct: 0.9, answer: 0.75, offer: 0.15 },
  glosses: { direct: 1, answer: 1, offer: 0.25 },
};
/** Where some pair is meant, one that is less likely than this is hardly the one. */
const OFFERED_LIKELIHOOD_MIN = 0.03;

export function isLikelihood(searchedBy: SearchedBy): searchedBy is Likelihood {
  return searchedBy === "likelihood" || searchedBy === "glosses";
}

const MARGIN_WEIGHT = 2;
/** In a small base no other pair may share a word, which says nothing of this one. */
const NEXT_SCORE_MIN = 0.15;
const UNSUPPORTED_WEIGHT = 1;
/** A pair that is silent about one rare word of many may still be meant; about most of them, hardly. */
const UNSUPPORTED_POWER = 1.5;
const OFFER_UNSUPPORTED_WEIGHT = 0.1;
/** Stored questions in one reply. */
const OFFERED_MAX = 3;

/**
 * How sure it is that the first pair answers: near, nearer than the next, and silent about little of what was asked. A likelihood
 * has all of that in it.
 */
export function confidenceOf(searchedBy: SearchedBy, [best, next]: FoundPair[]): number {
  if (best === undefined) return -Infinity;
  if (isLikelihood(searchedBy)) return best.score;
  const margin = best.score - Math.max(NEXT_SCORE_MIN, next?.score ?? 0);
  return best.score + MARGIN_WEIGHT * margin - UNSUPPORTED_WEIGHT * best.unsupported ** UNSUPPORTED_POWER;
}

/** Two pairs this near to each other are both meant, or neither; the very question is meant in any case. */
const TIE_RATIO = 0.96;
const SAME_QUESTION_SCORE = 0.98;

export function isTie(searchedBy: SearchedBy, [best, next]: FoundPair[]): boolean {
  if (isLikelihood(searchedBy)) return false;
  if (best === undefined || next === undefined || best.score >= SAME_QUESTION_SCORE) return false;
  return next.score > TIE_RATIO * best.score;
}

/** So sure by words alone that meaning changed no right answer on the evaluation sets. */
const SURE_CONFIDENCE = 1;

export function isSure(pairs: FoundPair[]): boolean {
  return confidenceOf("words", pairs) >= SURE_CONFIDENCE && !isTie("words", pairs);
}

function worthOffering({ score, unsupported }: FoundPair): number {
  return score - OFFER_UNSUPPORTED_WEIGHT * unsupported;
}

/** Three unlikely pairs may be worth a look where one is not: each time, it is asked whether anything here is meant. */
function isWorthAnOffer(searchedBy: SearchedBy, pairs: FoundPair[]): boolean {
  const { offer } = THRESHOLDS[searchedBy];
  if (isLikelihood(searchedBy)) return pairs.reduce((sum, { score }) => sum + score, 0) >= offer;
  return pairs.slice(0, 1).some((best) => worthOffering(best) >= offer);
}

/** Those in force: an operator's own score stands for the calibrated one. */
export function thresholdsOf({ directScore }: AgentSettings, searchedBy: SearchedBy): Thresholds {
  const { direct, ...others } = THRESHOLDS[searchedBy];
  return { direct: directScore ?? direct, ...others };
}

/** By an operator's own scores where there are any. */
export function decide(settings: AgentSettings, searchedBy: SearchedBy, pairs: FoundPair[]): Decision {
  const [best] = pairs;
  if (best === undefined) return "fallback";
  const { answerScore } = settings;
  const { direct, answer } = thresholdsOf(settings, searchedBy);
  const isAnswer =
    answerScore === undefined
      ? confidenceOf(searchedBy, pairs) >= answer && !isTie(searchedBy, pairs)
      : best.score >= answerScore;
  if (isAnswer && searchedBy !== "glosses") return best.score >= direct ? "direct" : "model";
  return isWorthAnOffer(searchedBy, pairs) ? "offer" : "fallback";
}

/** Pairs that the user may have meant, likeliest first. */
export function offersOf(searchedBy: SearchedBy, pairs: FoundPair[], most = OFFERED_MAX): FoundPair[] {
  const isLikely = ({ score }: FoundPair) => score >= OFFERED_LIKELIHOOD_MIN;
  const isNear = (pair: FoundPair) => worthOffering(pair) >= THRESHOLDS[searchedBy].offer;
  return pairs.filter(isLikelihood(searchedBy) ? isLikely : isNear).slice(0, most);
}
