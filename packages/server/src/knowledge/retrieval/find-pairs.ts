import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { BaseCache } from "./base-cache.ts";
import type { Candidate, QueryVector } from "./candidates.ts";
import type { CosineFloors } from "./dense.ts";
import {
  nearestAnswers,
  scoreInBase,
  showPairs,
  type FoundPair,
  type PairSearch,
  type Score,
} from "./search-base.ts";
import type { StatisticsCache, VersionedBase } from "./statistics-cache.ts";

/** What was asked as a vector of some model, and how much that counts against the words. */
export interface DenseSearch {
  vector: QueryVector;
  /** Beside words that count 1: 1 as calibrated, 0 not at all. */
  strength: number;
  floors: CosineFloors;
}

/** Chosen on halves of the evaluation sets, with Universal Sentence Encoder lite. */
const QUESTION_COSINE_WEIGHT = 0.8;
const ANSWER_COSINE_WEIGHT = 0.4;
const COSINE_WEIGHTS = QUESTION_COSINE_WEIGHT + ANSWER_COSINE_WEIGHT;
/** What unrelated questions of a base have in common for that encoder: cosines of other models are put on its scale. */
const UNRELATED_COSINE = 0.36;

/** The pairs nearest to what was asked, best first; pairs with the same answer are shown once. */
export async function findPairs(
  db: Database,
  statistics: StatisticsCache,
  search: PairSearch & { dense?: DenseSearch | undefined },
  bases?: BaseCache,
): Promise<FoundPair[]> {
  const { dense, most } = search;
  const found: FoundPair[] = [];
  for (const base of search.bases) {
    const floor = await dense?.floors.of(db, base, dense.vector);
    const vector = floor === undefined ? undefined : dense?.vector;
    const scored = await scoreInBase(
      db,
      statistics,
      base,
      { ...search, vector },
      bases,
      mixedScore(floor, dense),
    );
    const best = nearestAnswers(scored, most, ({ candidate }) => candidate.answerHash);
    found.push(...(await showPairs(db, search.agentId, best)));
  }
  return nearestAnswers(found, most, ({ answer }) => answer);
}

/** The bases to search, all of the agent's unless some are named. */
export async function readBases(db: Database, agentId: string, ids?: string[]): Promise<VersionedBase[]> {
  const rows = await db
    .selectFrom("knowledge_base")
    .select(["id", "version"])
    .where("agent_id", "=", agentId)
    .$if(ids !== undefined, (query) => query.where("id", "in", ids ?? []))
    .orderBy("id")
    .execute();
  return rows.map(({ id, version }) => ({ agentId, id, version }));
}

/** All bases of many agents. */
export function readBasesOf(db: Database, agentIds: string[]): Promise<VersionedBase[]> {
  return db
    .selectFrom("knowledge_base")
    .select(["agent_id as agentId", "id", "version"])
    .where("agent_id", "=", sql<string>`any(${agentIds}::uuid[])`)
    .orderBy("id")
    .execute();
}

/** Words, and meaning beside them where there are vectors. */
function mixedScore(floor: number | undefined, dense: DenseSearch | undefined): Score {
  return (candidate, { lexical }) => {
    const semantic = floor === undefined ? undefined : semanticScore(candidate, floor);
    const weight = semantic === undefined ? 0 : (dense?.strength ?? 0) * COSINE_WEIGHTS;
    return { score: (lexical + weight * (semantic ?? 0)) / (1 + weight), semantic };
  };
}

/** The mean of both cosines, weighed, on the scale that it was calibrated for. */
function semanticScore({ questionCosine, answerCosine }: Candidate, floor: number): number | undefined {
  if (questionCosine === undefined) return undefined;
  const scaled = (cosine: number) =>
    Math.max(0, UNRELATED_COSINE + ((1 - UNRELATED_COSINE) * (cosine - floor)) / (1 - floor));
  const byQuestion = QUESTION_COSINE_WEIGHT * scaled(questionCosine);
  const byAnswer = ANSWER_COSINE_WEIGHT * scaled(answerCosine ?? 0);
  return (byQuestion + byAnswer) / COSINE_WEIGHTS;
}
