import { sql } from "kysely";
import { createTimeSlice, type Database } from "../../platform/index.ts";
import type { BaseCache } from "./base-cache.ts";
import type { CosineFloors } from "./dense.ts";
import {
  findCandidates,
  readWholeAnswers,
  type Candidate,
  type CandidateSearch,
  type QueryVector,
} from "./candidates.ts";
import {
  lexicalScore,
  readAsked,
  termsByRarity,
  type Asked,
  type IndexedTexts,
  type LexicalScore,
  type TermsByRarity,
} from "./score.ts";
import type { Statistics } from "./statistics.ts";
import type { StatisticsCache, VersionedBase } from "./statistics-cache.ts";
import { createSynonyms, type Synonyms } from "./synonyms.ts";

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
  /** The share of what was asked that nothing in the pair speaks of. */
  unsupported: number;
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
  synonyms?: Synonyms | undefined;
  /** Given to two searches of one question, the second takes over what the first found out by words. */
  byWords?: SearchByWords | undefined;
}

/** What words alone say of a question, by knowledge base. */
export type SearchByWords = Map<string, BaseByWords>;

interface BaseByWords {
  asked: Asked;
  terms: TermsByRarity;
  /** By pair: by its texts where they are in memory, which is quicker than by its key. */
  scores: Map<IndexedTexts | string, LexicalScore>;
}

const SHIPPED_SYNONYMS = createSynonyms();

/** What was asked as a vector, and how much that counts against the words. */
export interface DenseSearch {
  vector: QueryVector;
  /** Beside words that count 1: 1 as calibrated, 0 not at all. */
  strength: number;
  /** Undefined for the built-in encoder, whose cosines are known. */
  floors?: CosineFloors | undefined;
}

/** Chosen on halves of the evaluation sets, with the built-in encoder. */
const QUESTION_COSINE_WEIGHT = 0.8;
const ANSWER_COSINE_WEIGHT = 0.4;
const COSINE_WEIGHTS = QUESTION_COSINE_WEIGHT + ANSWER_COSINE_WEIGHT;
/** What unrelated questions of a base have in common for the built-in encoder: cosines of other models are put on its scale. */
const UNRELATED_COSINE = 0.36;

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
  bases?: BaseCache,
): Promise<FoundPair[]> {
  const found: FoundPair[] = [];
  for (const base of search.bases) found.push(...(await findInBase(db, statistics, base, search, bases)));
  return nearestAnswers(found, search.most, ({ answer }) => answer);
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

/** Twice as long as a question may be: what is longer is like no question, and comparing all of it would hold up others. */
function withinScoring(asked: string): string {
  if (asked.length <= 2 * ASKED_CHARACTERS_EACH_END) return asked;
  return `${asked.slice(0, ASKED_CHARACTERS_EACH_END)}\n${asked.slice(-ASKED_CHARACTERS_EACH_END)}`;
}

async function findInBase(
  db: Database,
  cache: StatisticsCache,
  base: SearchedBase,
  { agentId, asked: text, most, dense, synonyms = SHIPPED_SYNONYMS, byWords }: PairSearch,
  bases: BaseCache | undefined,
): Promise<FoundPair[]> {
  const statistics = await cache.of(base);
  if (statistics.pairs === 0) return [];
  const askedText = withinScoring(text);
  const read = byWords?.get(base.id) ?? readByWords(statistics, askedText, synonyms);
  byWords?.set(base.id, read);
  const { telling, others, common, all } = read.terms;
  const floor = dense === undefined ? undefined : await floorOf(db, base, dense);
  const sought: CandidateSearch = {
    agentId,
    knowledgeBaseId: base.id,
    documentIds: base.documentIds,
    tellingTerms: [...telling, ...others],
    commonTerms: common,
    allTerms: all,
    exactQuestion: askedText,
    vector: floor === undefined ? undefined : dense?.vector,
  };
  const inMemory = bases?.of(base, statistics.pairs)?.find(sought);
  const candidates = inMemory ?? (await findCandidates(db, sought));
  const scored = await scoreLikeliest(candidates, (candidate) => {
    const lexical = scoreByWords(read, candidate);
    const semantic = floor === undefined ? undefined : semanticScore(candidate, floor);
    const weight = semantic === undefined ? 0 : (dense?.strength ?? 0) * COSINE_WEIGHTS;
    const score = (lexical.lexical + weight * (semantic ?? 0)) / (1 + weight);
    return { candidate, score, lexical, semantic };
  });
  const best = nearestAnswers(scored, most, ({ candidate }) => candidate.answerHash);
  const answers = await readWholeAnswers(
    db,
    agentId,
    base.id,
    best.map(({ candidate }) => candidate),
  );
  return best.map(({ candidate, score, lexical: { unsupported, ...parts }, semantic }) => ({
    knowledgeBaseId: base.id,
    documentId: candidate.documentId,
    revision: candidate.revision,
    ordinal: candidate.ordinal,
    question: candidate.question,
    answer: answers.get(candidate) ?? candidate.answerStart,
    score,
    unsupported,
    parts: { ...parts, semantic },
  }));
}

function readByWords(statistics: Statistics, text: string, synonyms: Synonyms): BaseByWords {
  const asked = readAsked(statistics, text, synonyms);
  return { asked, terms: termsByRarity(statistics, asked, PAIRS_LOOKED_AT), scores: new Map() };
}

function scoreByWords({ asked, scores }: BaseByWords, candidate: Candidate): LexicalScore {
  const { documentId, revision, ordinal, indexed } = candidate;
  const key = indexed ?? `${documentId} ${revision} ${ordinal}`;
  const known = scores.get(key);
  if (known !== undefined) return known;
  const score = lexicalScore(asked, {
    questions: [candidate.question, ...candidate.alternates],
    answer: candidate.answerStart,
    indexed,
    isQuestionWritten: candidate.origin !== "first_sentence",
  });
  scores.set(key, score);
  return score;
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
    const pause = giveWay();
    // An await, even of nothing, is a microtask for each of hundreds of candidates.
    if (pause !== undefined) await pause;
  }
  return scored;
}

async function floorOf(
  db: Database,
  base: VersionedBase,
  { vector, floors }: DenseSearch,
): Promise<number | undefined> {
  return floors === undefined ? UNRELATED_COSINE : floors.of(db, base, vector);
}

/** The mean of both cosines, weighed, on the scale of the built-in encoder. */
function semanticScore({ questionCosine, answerCosine }: Candidate, floor: number): number | undefined {
  if (questionCosine === undefined) return undefined;
  const scaled = (cosine: number) =>
    Math.max(0, UNRELATED_COSINE + ((1 - UNRELATED_COSINE) * (cosine - floor)) / (1 - floor));
  const byQuestion = QUESTION_COSINE_WEIGHT * scaled(questionCosine);
  const byAnswer = ANSWER_COSINE_WEIGHT * scaled(answerCosine ?? 0);
  return (byQuestion + byAnswer) / COSINE_WEIGHTS;
}

/** The best of each answer, best first. */
function nearestAnswers<Item extends { score: number }>(
  items: Item[],
  most: number,
  answerOf: (item: Item) => string,
): Item[] {
  const byAnswer = new Map<string, Item>();
  for (const item of items.toSorted((one, other) => other.score - one.score)) {
    if (byAnswer.size >= most) break;
    const answer = answerOf(item);
    if (!byAnswer.has(answer)) byAnswer.set(answer, item);
  }
  return [...byAnswer.values()];
}
