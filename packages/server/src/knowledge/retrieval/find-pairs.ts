import type { Database } from "../../platform/index.ts";
import type { CosineFloors } from "./dense.ts";
import { findCandidates, readWholeAnswers, type Candidate, type QueryVector } from "./candidates.ts";
import { anyOf, exactly, lexemePrefix } from "./lexemes.ts";
import { createTimeSlice } from "./time-slice.ts";
import { lexicalScore, readAsked, termsByRarity } from "./score.ts";
import type { StatisticsCache, VersionedBase } from "./statistics-cache.ts";

/** How a score came about; each lexical part is a share of the whole. */
export interface ScoreParts {
  question: number;
  trigram: number;
  answer: number;
  lexical: number;
  /** Undefined when the pair has no vector, or no model makes any. */
  semantic: number | undefined;
}

export interface FoundPair {
  knowledgeBaseId: string;
  documentId: string;
  revision: number;
  ordinal: number;
  question: string;
  answer: string;
  /** Between 0 and 1. */
  score: number;
  parts: ScoreParts;
}

export interface SearchedBase extends VersionedBase {
  /** Nothing but these; all when undefined. */
  documentIds?: string[] | undefined;
}

export interface PairSearch {
  agentId: string;
  bases: SearchedBase[];
  asked: string;
  most: number;
  dense?: DenseSearch | undefined;
}

/** What was asked as a vector, and how much that counts against the words. */
export interface DenseSearch {
  vector: QueryVector;
  weight: number;
  floors: CosineFloors;
}

/** An answer is worth a little less than a question that is as near. */
const ANSWER_COSINE_WEIGHT = 0.9;
/** How many pairs are looked at before the nearest of them are scored: with these the nearest of all were among them. */
const PAIRS_LOOKED_AT = 600;

/** Of candidates together: 200 pairs with twenty alternates and a long answer each have as much. */
const SCORED_CHARACTERS_MAX = 500_000;
/** What is asked stands at the beginning of a long message or at its end. */
const ASKED_CHARACTERS_EACH_END = 1_000;

/** The pairs nearest to what was asked, best first; pairs with the same answer are shown once. */
export async function findPairs(
  db: Database,
  statistics: StatisticsCache,
  search: PairSearch,
): Promise<FoundPair[]> {
  const found: FoundPair[] = [];
  for (const base of search.bases) found.push(...(await findInBase(db, statistics, base, search)));
  return withoutEqualAnswers(found.toSorted((one, other) => other.score - one.score)).slice(0, search.most);
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

/** Twice as long as a question may be: what is longer is like no question, and comparing all of it would hold up others. */
function withinScoring(asked: string): string {
  if (asked.length <= 2 * ASKED_CHARACTERS_EACH_END) return asked;
  return `${asked.slice(0, ASKED_CHARACTERS_EACH_END)}\n${asked.slice(-ASKED_CHARACTERS_EACH_END)}`;
}

async function findInBase(
  db: Database,
  cache: StatisticsCache,
  base: SearchedBase,
  { agentId, asked: text, most, dense }: PairSearch,
): Promise<FoundPair[]> {
  const statistics = await cache.of(base);
  if (statistics.pairs === 0) return [];
  const askedText = withinScoring(text);
  const asked = readAsked(statistics, askedText);
  const prefix = lexemePrefix(base.id);
  const { telling, all } = termsByRarity(statistics, asked, PAIRS_LOOKED_AT);
  const floor = dense === undefined ? undefined : await dense.floors.of(db, base, dense.vector);
  const candidates = await findCandidates(db, {
    agentId,
    knowledgeBaseId: base.id,
    documentIds: base.documentIds,
    tellingTerms: telling.length === 0 ? undefined : anyOf(prefix, telling),
    allTerms: anyOf(prefix, all),
    exactQuestion: exactly(prefix, askedText),
    vector: floor === undefined ? undefined : dense?.vector,
  });
  const scored = await scoreLikeliest(candidates, (candidate) => {
    const lexical = lexicalScore(asked, {
      questions: [candidate.question, ...candidate.alternates],
      answer: candidate.answerStart,
      isQuestionWritten: candidate.origin !== "first_sentence",
    });
    const semantic = floor === undefined ? undefined : semanticScore(candidate, floor);
    const weight = semantic === undefined ? 0 : (dense?.weight ?? 0);
    const score = weight * (semantic ?? 0) + (1 - weight) * lexical.lexical;
    return { candidate, score, parts: { ...lexical, semantic } };
  });
  const best = withoutEqualAnswers(
    scored
      .toSorted((one, other) => other.score - one.score)
      .map((one) => ({ ...one, answerHash: one.candidate.answerHash })),
  ).slice(0, most);
  const answers = await readWholeAnswers(
    db,
    agentId,
    base.id,
    best.map(({ candidate }) => candidate),
  );
  return best.map(({ candidate, score, parts }) => ({
    knowledgeBaseId: base.id,
    documentId: candidate.documentId,
    revision: candidate.revision,
    ordinal: candidate.ordinal,
    question: candidate.question,
    answer: answers.get(candidate) ?? candidate.answerStart,
    score,
    parts,
  }));
}

/** Gives way to others on the way, and ends where the texts of the likeliest pairs have been enough for one question. */
async function scoreLikeliest<Scored>(
  candidates: Candidate[],
  score: (candidate: Candidate) => Scored,
): Promise<Scored[]> {
  const scored: Scored[] = [];
  const giveWay = createTimeSlice();
  let characters = 0;
  for (const candidate of candidates) {
    if (characters >= SCORED_CHARACTERS_MAX) break;
    const { question, alternates, answerStart } = candidate;
    characters += question.length + answerStart.length;
    for (const alternate of alternates) characters += alternate.length;
    scored.push(score(candidate));
    await giveWay();
  }
  return scored;
}

function semanticScore({ questionCosine, answerCosine }: Candidate, floor: number): number | undefined {
  if (questionCosine === undefined) return undefined;
  const cosine = Math.max(questionCosine, ANSWER_COSINE_WEIGHT * (answerCosine ?? 0));
  return Math.min(1, Math.max(0, (cosine - floor) / (1 - floor)));
}

/** Keeps the first of equals, so the list given is in order. */
function withoutEqualAnswers<Item extends { answerHash: string } | { answer: string }>(
  items: Item[],
): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const answer = "answer" in item ? item.answer : item.answerHash;
    if (seen.has(answer)) return false;
    seen.add(answer);
    return true;
  });
}
