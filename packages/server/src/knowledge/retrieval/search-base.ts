import { createTimeSlice, type Database } from "../../platform/index.ts";
import type { BaseCache } from "./base-cache.ts";
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
  synonyms?: Synonyms | undefined;
  /** Given to two searches of one question, the second takes over what the first found out by words. */
  byWords?: SearchByWords | undefined;
}

/** What words alone say of a question, by knowledge base. */
export type SearchByWords = Map<string, BaseByWords>;

interface BaseByWords {
  /** What words found. */
  candidates: Candidate[];
  asked: Asked;
  terms: TermsByRarity;
  /** By pair: by its texts where they are in memory, which is quicker than by its key. */
  scores: Map<IndexedTexts | string, LexicalScore>;
}

const SHIPPED_SYNONYMS = createSynonyms();

/** How many pairs are looked at before the nearest of them are scored: with these the nearest of all were among them. */
const PAIRS_LOOKED_AT = 600;

/** All candidates together: 200 pairs with twenty alternates and a long answer each have as much. */
const SCORED_CHARACTERS_MAX = 500_000;
/** What is asked stands at the beginning of a long message or at its end. */
const ASKED_CHARACTERS_EACH_END = 1_000;

/** What a pair is worth for one question, before its whole answer is read. */
export interface Scored {
  base: VersionedBase;
  candidate: Candidate;
  score: number;
  lexical: LexicalScore;
  semantic: number | undefined;
}

export type Score = (candidate: Candidate, lexical: LexicalScore) => Pick<Scored, "score" | "semantic">;

export async function scoreInBase(
  db: Database,
  cache: StatisticsCache,
  base: SearchedBase,
  search: PairSearch & { vector: QueryVector | undefined },
  bases: BaseCache | undefined,
  score: Score,
): Promise<Scored[]> {
  const { agentId, asked: text, vector, synonyms = SHIPPED_SYNONYMS, byWords } = search;
  const statistics = await cache.of(base);
  if (statistics.pairs === 0) return [];
  const askedText = withinScoring(text);
  const read = byWords?.get(base.id) ?? readByWords(statistics, askedText, synonyms);
  byWords?.set(base.id, read);
  const { telling, others, common, all } = read.terms;
  const sought: CandidateSearch = {
    agentId,
    knowledgeBaseId: base.id,
    documentIds: base.documentIds,
    tellingTerms: [...telling, ...others],
    commonTerms: common,
    allTerms: all,
    exactQuestion: askedText,
    vector,
  };
  const inMemory = bases?.of(base, statistics.pairs)?.find(sought);
  const candidates = inMemory ?? (await findCandidates(db, sought));
  if (vector === undefined) read.candidates = candidates;
  return scoreLikeliest(candidates, (candidate) => {
    const lexical = scoreByWords(read, candidate);
    return { base, candidate, lexical, ...score(candidate, lexical) };
  });
}

export async function showPairs(db: Database, agentId: string, scored: Scored[]): Promise<FoundPair[]> {
  const answers = new Map<Candidate, string>();
  for (const [id, ofBase] of Map.groupBy(scored, ({ base }) => base.id)) {
    const candidates = ofBase.map(({ candidate }) => candidate);
    for (const [candidate, answer] of await readWholeAnswers(db, agentId, id, candidates))
      answers.set(candidate, answer);
  }
  return scored.map(({ base, candidate, score, lexical: { unsupported, ...parts }, semantic }) => ({
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

/** Twice as long as a question may be: what is longer is like no question, and comparing all of it would hold up others. */
function withinScoring(asked: string): string {
  if (asked.length <= 2 * ASKED_CHARACTERS_EACH_END) return asked;
  return `${asked.slice(0, ASKED_CHARACTERS_EACH_END)}\n${asked.slice(-ASKED_CHARACTERS_EACH_END)}`;
}

function readByWords(statistics: Statistics, text: string, synonyms: Synonyms): BaseByWords {
  const asked = readAsked(statistics, text, synonyms);
  const terms = termsByRarity(statistics, asked, PAIRS_LOOKED_AT);
  return { candidates: [], asked, terms, scores: new Map() };
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
async function scoreLikeliest(
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

/** The best of each answer, best first. */
export function nearestAnswers<Item extends { score: number }>(
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

/** The texts of pairs that a search by words looked at, best first. */
export function* textsFound(byWords: SearchByWords): Generator<string> {
  for (const { candidates } of byWords.values())
    for (const { question, alternates, answerStart } of candidates) {
      yield question;
      yield* alternates;
      yield answerStart;
    }
}
