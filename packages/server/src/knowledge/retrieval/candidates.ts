import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../platform/index.ts";
import { allOf, anyOf, exactly, lexemePrefix } from "./lexemes.ts";
import type { IndexedTexts } from "./score.ts";

/** What is read of a pair before it is known whether it will be shown. */
export interface Candidate {
  documentId: string;
  revision: number;
  ordinal: number;
  question: string;
  /** As many as are looked at. */
  alternates: string[];
  origin: string;
  /** The beginning of the answer, and how long it is in all. */
  answerStart: string;
  answerLength: number;
  /** The whole of it, where it is longer than its beginning and in memory. */
  answer?: string | undefined;
  /** Its texts as they are scored, where they are in memory. */
  indexed?: IndexedTexts | undefined;
  /** Equal for equal answers. */
  answerHash: string;
  /** The cosine nearest to what was asked, of its questions, of its answer and of both as one text; undefined without vector. */
  questionCosine: number | undefined;
  answerCosine: number | undefined;
  pairCosine: number | undefined;
}

export interface CandidateSearch {
  agentId: string;
  knowledgeBaseId: string;
  /** Nothing but these documents; all when undefined. */
  documentIds: string[] | undefined;
  /** A pair must have one of the telling terms, or be the very question; all terms say how near it is. */
  tellingTerms: string[];
  /** Or have all terms of one of these, which many pairs have: of those some are looked at. None in a small base. */
  commonTerms: string[][];
  allTerms: string[];
  exactQuestion: string;
  vector: QueryVector | undefined;
}

export interface QueryVector {
  model: string;
  numbers: number[];
}

/** What a vector is of, in `qa_embedding`; alternates are 1 and above. */
export const QUESTION_FORM = 0;
export const ANSWER_FORM = -1;
/** Question and answer as one text: the built-in encoder alone makes them. */
export const PAIR_FORM = -2;

export const BY_WORDS_MAX = 200;
/** Reading and ranking one takes about 5 µs. */
const BY_COMMON_TERMS_MAX = 1_500;
/** Answers are D, questions A. */
export const ANSWER_RANK_WEIGHT = 0.1;
const WEIGHTS = sql.lit(`{${ANSWER_RANK_WEIGHT}, 0.1, 0.1, 1}`);
export const BY_VECTOR_MAX = 100;
const ANSWER_START_CHARACTERS = 2_000;
/** All alternates of a pair together: it is not worth reading and comparing more for one question. */
const ALTERNATES_CHARACTERS = 10_000;
/** Stands between alternates, and in none that anybody typed. */
const UNIT_SEPARATOR = "\u001f";

export interface CandidateRow {
  document_id: string;
  revision: number;
  ordinal: number;
  question: string;
  alternates: string;
  origin: string;
  answer_start: string;
  answer_length: number;
  answer_hash: string;
  answer?: string | null;
  question_cosine: number | null;
  answer_cosine: number | null;
  pair_cosine: number | null;
}

/**
 * Pairs of one base that could be the answer, likeliest first, in one statement: words and vectors see the same revisions.
 * Base and agent are plain parameters in each part, so that planning looks at one partition.
 */
export async function findCandidates(db: Database, search: CandidateSearch): Promise<Candidate[]> {
  const { agentId, knowledgeBaseId, documentIds, vector } = search;
  const { rows } = await sql<CandidateRow>`
    with ${matchedByWords(search)},
    by_words as (
      select m.document_id, m.revision, m.ordinal from matched m ${currentOf("m", agentId, documentIds)}
      order by m.is_exact desc, m.telling_rank desc, m.rank desc, m.document_id, m.ordinal limit ${BY_WORDS_MAX}),
    found as (${vector === undefined ? placed("by_words") : byEither(search, vector)})
    select ${candidateColumns()},
      ${vector === undefined ? noCosines() : sql`c.question_cosine, c.answer_cosine, c.pair_cosine`}
    from found f, ${pairAt("f", agentId, knowledgeBaseId)}
      ${vector === undefined ? sql`` : sql`left join lateral (${cosinesOf(search, vector)}) c on true`}
    order by f.place`.execute(db);
  return rows.map(candidateOf);
}

export function noCosines(): RawBuilder<unknown> {
  return sql`null::float8 as question_cosine, null::float8 as answer_cosine, null::float8 as pair_cosine`;
}

/** Of `qa_pair p`. */
export function candidateColumns(): RawBuilder<unknown> {
  return sql`p.document_id, p.revision, p.ordinal, p.question, p.origin,
    left(array_to_string(p.alternates, ${UNIT_SEPARATOR}), ${ALTERNATES_CHARACTERS}) as alternates,
    left(p.answer, ${ANSWER_START_CHARACTERS}) as answer_start, length(p.answer) as answer_length,
    hashtextextended(p.answer, 0)::text as answer_hash`;
}

/** Null where the beginning is all of it. */
export function longAnswer(): RawBuilder<unknown> {
  return sql`case when length(p.answer) > ${ANSWER_START_CHARACTERS} then p.answer end`;
}

export function candidateOf(row: CandidateRow): Candidate {
  return {
    documentId: row.document_id,
    revision: row.revision,
    ordinal: row.ordinal,
    question: row.question,
    alternates: row.alternates === "" ? [] : row.alternates.split(UNIT_SEPARATOR),
    origin: row.origin,
    answerStart: row.answer_start,
    answerLength: row.answer_length,
    answer: row.answer ?? undefined,
    answerHash: row.answer_hash,
    questionCosine: row.question_cosine ?? undefined,
    answerCosine: row.answer_cosine ?? undefined,
    pairCosine: row.pair_cosine ?? undefined,
  };
}

/**
 * One row by its whole key, whatever the planner believes of the table: joined plainly it reads the base once for each pair
 * where nothing is known of a base yet, as after its first import.
 */
function pairAt(alias: string, agentId: string, knowledgeBaseId: string): RawBuilder<unknown> {
  const of = sql.ref(alias);
  return sql`lateral (select * from qa_pair where agent_id = ${agentId} and knowledge_base_id = ${knowledgeBaseId}
    and document_id = ${of}.document_id and revision = ${of}.revision and ordinal = ${of}.ordinal limit 1) p`;
}

/** A revision is read only while its document points at it. By its whole key, as above. */
function currentOf(alias: string, agentId: string, documentIds: string[] | undefined): RawBuilder<unknown> {
  const of = sql.ref(alias);
  const chosen = documentIds === undefined ? sql`` : sql`and id = any(${documentIds}::uuid[])`;
  return sql`join lateral (select id from document where agent_id = ${agentId} and id = ${of}.document_id
    and current_revision = ${of}.revision and deleted_at is null ${chosen} limit 1) d on true`;
}

function placed(rows: string): RawBuilder<unknown> {
  return sql`select document_id, revision, ordinal, row_number() over () as place from ${sql.ref(rows)}`;
}

/** One that both found stands where the better of them put it. */
function byEither(search: CandidateSearch, vector: QueryVector): RawBuilder<unknown> {
  return sql`
    with by_vector as ${byVector(search, vector)}
    select document_id, revision, ordinal, min(place) as place
    from (${placed("by_words")} union all ${placed("by_vector")}) either
    group by document_id, revision, ordinal`;
}

/** Apart from the documents: joined with them, the planner would rather read the whole base than ask the index of terms. */
function matchedByWords({
  agentId,
  knowledgeBaseId,
  tellingTerms,
  commonTerms,
  allTerms,
  exactQuestion,
}: CandidateSearch) {
  const prefix = lexemePrefix(knowledgeBaseId);
  const exact = exactly(prefix, exactQuestion);
  const telling = tellingTerms.length === 0 ? exact : `${exact} | ${anyOf(prefix, tellingTerms)}`;
  const common = [...new Set(commonTerms.flat())];
  const ranked = common.length === 0 ? telling : `${telling} | ${anyOf(prefix, common)}`;
  const having = (query: string) => sql`from qa_pair p
    where p.agent_id = ${agentId} and p.knowledge_base_id = ${knowledgeBaseId} and p.terms @@ ${query}::tsquery`;
  const columns = sql`p.document_id, p.revision, p.ordinal, p.terms @@ ${exact}::tsquery as is_exact,
      ts_rank(${WEIGHTS}, p.terms, ${ranked}::tsquery) as telling_rank,
      ts_rank(${WEIGHTS}, p.terms, ${anyOf(prefix, allTerms)}::tsquery) as rank`;
  if (common.length === 0) return sql`matched as materialized (select ${columns} ${having(telling)})`;
  const together = commonTerms.map((terms) => `(${allOf(prefix, terms)})`).join(" | ");
  // Materialized, so that it is planned for all of its rows: for the first of them the planner would read the table instead.
  return sql`
    together as materialized (select p.document_id, p.revision, p.ordinal, p.terms ${having(together)}),
    matched as materialized (select ${columns} ${having(telling)}
      union (select ${columns} from together p limit ${BY_COMMON_TERMS_MAX}))`;
}

function byVector(
  { agentId, knowledgeBaseId, documentIds }: CandidateSearch,
  { model, numbers }: QueryVector,
) {
  return sql`(
    select e.document_id, e.revision, e.ordinal
    from qa_embedding e ${currentOf("e", agentId, documentIds)}
    where e.agent_id = ${agentId} and e.knowledge_base_id = ${knowledgeBaseId} and e.model = ${model}
      and vector_dims(e.vector) = ${numbers.length}
    order by e.vector::halfvec(${sql.lit(numbers.length)}) <=> ${vectorText(numbers)}::halfvec(${sql.lit(numbers.length)})
    limit ${BY_VECTOR_MAX})`;
}

function cosinesOf({ agentId, knowledgeBaseId }: CandidateSearch, { model, numbers }: QueryVector) {
  const cosine = sql`1 - (e.vector <=> ${vectorText(numbers)}::halfvec)`;
  return sql`
    select max(${cosine}) filter (where e.form >= ${QUESTION_FORM}) as question_cosine,
      max(${cosine}) filter (where e.form = ${ANSWER_FORM}) as answer_cosine,
      max(${cosine}) filter (where e.form = ${PAIR_FORM}) as pair_cosine
    from qa_embedding e
    where e.agent_id = ${agentId} and e.knowledge_base_id = ${knowledgeBaseId} and e.model = ${model}
      and e.document_id = p.document_id and e.revision = p.revision and e.ordinal = p.ordinal`;
}

export function vectorText(numbers: number[]): string {
  return `[${numbers.join(",")}]`;
}

/** The answers of which only the beginning was read, whole. A revision's rows outlive its readers by the sweep's grace. */
export async function readWholeAnswers(
  db: Database,
  agentId: string,
  knowledgeBaseId: string,
  candidates: Candidate[],
): Promise<Map<Candidate, string>> {
  const answers = new Map(
    candidates.map((candidate) => [candidate, candidate.answer ?? candidate.answerStart]),
  );
  const longer = candidates.filter(
    ({ answer, answerLength }) => answer === undefined && answerLength > ANSWER_START_CHARACTERS,
  );
  if (longer.length === 0) return answers;
  const { rows } = await sql<{ place: number; answer: string }>`
    select asked.place::integer as place, p.answer
    from unnest(${longer.map(({ documentId }) => documentId)}::uuid[], ${longer.map(({ revision }) => revision)}::integer[],
        ${longer.map(({ ordinal }) => ordinal)}::integer[]) with ordinality as asked(document_id, revision, ordinal, place)
      join qa_pair p on p.document_id = asked.document_id and p.revision = asked.revision and p.ordinal = asked.ordinal
    where p.agent_id = ${agentId} and p.knowledge_base_id = ${knowledgeBaseId}`.execute(db);
  for (const { place, answer } of rows) answers.set(longer[place - 1]!, answer);
  return answers;
}
