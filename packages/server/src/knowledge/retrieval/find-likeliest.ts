import type { Database } from "../../platform/index.ts";
import type { BaseCache } from "./base-cache.ts";
import type { QueryVector } from "./candidates.ts";
import { likelihoodsOf, logOddsOf, RIVALS, type SignWeights } from "./likelihood.ts";
import {
  nearestAnswers,
  scoreInBase,
  showPairs,
  type FoundPair,
  type PairSearch,
  type Score,
  type Scored,
} from "./search-base.ts";
import type { StatisticsCache } from "./statistics-cache.ts";

/**
 * The pairs likeliest to be meant, by the built-in encoder's vector of what was asked; a score is a probability. Undefined where the
 * pair that words find best has no vector: then words know more.
 */
export async function findLikeliest(
  db: Database,
  statistics: StatisticsCache,
  search: PairSearch & { vector: QueryVector; weights: SignWeights },
  bases?: BaseCache,
): Promise<FoundPair[] | undefined> {
  const all: Scored[] = [];
  const byLikelihood = likelihoodScore(search.weights);
  for (const base of search.bases)
    all.push(...(await scoreInBase(db, statistics, base, search, bases, byLikelihood)));
  const byWords = all.reduce<Scored | undefined>(
    (best, one) => (best === undefined || one.lexical.lexical > best.lexical.lexical ? one : best),
    undefined,
  );
  if (byWords === undefined || byWords.score === -Infinity) return undefined;
  const nearest = nearestAnswers(all, Math.max(RIVALS, search.most), ({ candidate }) => candidate.answerHash);
  const likelihoods = likelihoodsOf(nearest.map(({ score }) => score));
  const best = nearest.map((one, at) => ({ ...one, score: likelihoods[at] ?? 0 })).slice(0, search.most);
  return showPairs(db, search.agentId, best);
}

function likelihoodScore(weights: SignWeights): Score {
  return (candidate, lexical) => ({
    score: logOddsOf(candidate, lexical, weights) ?? -Infinity,
    semantic: candidate.questionCosine ?? candidate.pairCosine,
  });
}
