import { sql, type RawBuilder } from "kysely";
import { createTimeSlice, type Database } from "../../platform/index.ts";
import {
  createBaseIndex,
  unitVector,
  type BaseIndex,
  type IndexedCandidate,
  type IndexedVector,
  type VectorIndex,
} from "./base-index.ts";
import {
  candidateColumns,
  candidateOf,
  longAnswer,
  noCosines,
  PAIR_FORM,
  QUESTION_FORM,
  type CandidateRow,
} from "./candidates.ts";
import { hasVectorTable } from "./dense.ts";
import { withoutPrefix } from "./lexemes.ts";
import type { VersionedBase } from "./statistics-cache.ts";
import { createTextIndexBuilder } from "./text-index.ts";

export interface LoadedBase {
  version: number;
  index: BaseIndex;
  bytes: number;
}

/** Estimates, on the safe side: of a pair's objects, of a lexeme in the lists of where it occurs, and of a vector's. */
const PAIR_BYTES = 800;
const LEXEME_BYTES = 24;
const VECTOR_BYTES = 120;

/** Versions, pairs and vectors of one snapshot. Undefined for a base that has more pairs, or is gone. */
export function loadBases(
  db: Database,
  bases: VersionedBase[],
  pairsMax: number,
): Promise<(LoadedBase | undefined)[]> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (db) => {
      const versions = await readVersions(db, bases);
      const rows = await readPairs(db, bases, pairsMax + 1);
      const loadable = bases.filter(({ id }) => versions.has(id) && (rows.get(id)?.length ?? 0) <= pairsMax);
      const vectors = await readVectorRows(db, loadable);
      const loaded = new Map<VersionedBase, LoadedBase>();
      for (const base of loadable) {
        const { pairs, bytes } = await readRows(rows.get(base.id) ?? []);
        const index = await readVectors(vectors.get(base.id) ?? [], pairs);
        const vectorBytes = (index?.vectors.length ?? 0) * (VECTOR_BYTES + 4 * (index?.dimensions ?? 0));
        const version = versions.get(base.id) ?? 0;
        loaded.set(base, { version, index: createBaseIndex(pairs, index), bytes: bytes + vectorBytes });
      }
      return bases.map((base) => loaded.get(base));
    });
}

async function readVersions(db: Database, bases: VersionedBase[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("knowledge_base")
    .select(["agent_id", "id", "version"])
    .where("id", "=", sql<string>`any(${bases.map(({ id }) => id)}::uuid[])`)
    .execute();
  const agents = new Map(bases.map(({ id, agentId }) => [id, agentId]));
  return new Map(
    rows.filter(({ id, agent_id }) => agents.get(id) === agent_id).map(({ id, version }) => [id, version]),
  );
}

/** Rows of `wanted(agent_id, base_id)`. */
function wantedBases(bases: VersionedBase[]): RawBuilder<unknown> {
  return sql`unnest(${bases.map(({ agentId }) => agentId)}::uuid[], ${bases.map(({ id }) => id)}::uuid[])
    as wanted(agent_id, base_id)`;
}

interface PairRow extends CandidateRow {
  base_id: string;
  question_lexemes: string[];
  lexemes: string[];
}

/** Base by base, each by its key and up to its limit, whatever the planner believes of the table. */
async function readPairs(
  db: Database,
  bases: VersionedBase[],
  most: number,
): Promise<Map<string, PairRow[]>> {
  const { rows } = await sql<PairRow>`
    select wanted.base_id, pair.* from ${wantedBases(bases)}, lateral (
      select ${candidateColumns()}, ${longAnswer()} as answer, ${noCosines()},
        tsvector_to_array(ts_filter(p.terms, '{a}')) as question_lexemes, tsvector_to_array(p.terms) as lexemes
      from document d join qa_pair p on p.document_id = d.id and p.revision = d.current_revision
      where d.agent_id = wanted.agent_id and d.knowledge_base_id = wanted.base_id and d.deleted_at is null
        and p.agent_id = wanted.agent_id and p.knowledge_base_id = wanted.base_id
      order by p.document_id, p.ordinal limit ${most}
    ) pair`.execute(db);
  return Map.groupBy(rows, ({ base_id }) => base_id);
}

async function readRows(rows: PairRow[]): Promise<{ pairs: IndexedCandidate[]; bytes: number }> {
  const giveWay = createTimeSlice();
  const pairs: IndexedCandidate[] = [];
  const texts = createTextIndexBuilder();
  let bytes = 0;
  for (const row of rows) {
    const questionLexemes = new Set(row.question_lexemes.map(withoutPrefix));
    const answerLexemes = row.lexemes.map(withoutPrefix).filter((lexeme) => !questionLexemes.has(lexeme));
    const candidate = candidateOf(row);
    const { question, alternates, answerStart, answer } = candidate;
    const characters = [question, ...alternates, answerStart, answer ?? ""].join("").length;
    bytes += PAIR_BYTES + 2 * characters + LEXEME_BYTES * row.lexemes.length;
    const indexed = {
      questions: [question, ...alternates].map((text) => texts.addQuestion(text)),
      answer: texts.addAnswer(answerStart),
    };
    pairs.push({
      candidate: { ...candidate, indexed },
      questionLexemes: [...questionLexemes],
      answerLexemes,
    });
    await giveWay();
  }
  return { pairs, bytes: bytes + texts.finish().bytes };
}

interface VectorRow {
  base_id: string;
  document_id: string;
  ordinal: number;
  form: number;
  model: string;
  sent: Buffer;
}

async function readVectorRows(db: Database, bases: VersionedBase[]): Promise<Map<string, VectorRow[]>> {
  if (bases.length === 0 || !(await hasVectorTable(db))) return new Map();
  const { rows } = await sql<VectorRow>`
    select wanted.base_id, vector.* from ${wantedBases(bases)}, lateral (
      select e.document_id, e.ordinal, e.form, e.model, halfvec_send(e.vector) as sent
      from document d join qa_embedding e on e.document_id = d.id and e.revision = d.current_revision
      where d.agent_id = wanted.agent_id and d.knowledge_base_id = wanted.base_id and d.deleted_at is null
        and e.agent_id = wanted.agent_id and e.knowledge_base_id = wanted.base_id
    ) vector`.execute(db);
  return Map.groupBy(rows, ({ base_id }) => base_id);
}

/** Undefined unless every pair has its vectors, all of one model: until then PostgreSQL knows more. */
async function readVectors(rows: VectorRow[], pairs: IndexedCandidate[]): Promise<VectorIndex | undefined> {
  const places = new Map(
    pairs.map(({ candidate: { documentId, ordinal } }, place) => [`${documentId} ${ordinal}`, place]),
  );
  const giveWay = createTimeSlice();
  const vectors: IndexedVector[] = [];
  const embedded = new Set<number>();
  const first = rows[0];
  for (const { document_id, ordinal, form, model, sent } of rows) {
    const place = places.get(`${document_id} ${ordinal}`);
    if (place === undefined) continue;
    if (model !== first?.model || sent.length !== first.sent.length) return undefined;
    // A question that the encoder cannot read by itself has a vector with its answer.
    if (form === QUESTION_FORM || form === PAIR_FORM) embedded.add(place);
    vectors.push({ place, form, numbers: unitVector(readHalves(sent)) });
    await giveWay();
  }
  if (first === undefined || embedded.size < pairs.length) return undefined;
  return { model: first.model, dimensions: dimensionsIn(first.sent), vectors };
}

/** As pgvector sends a halfvec: two bytes of how many numbers there are, two unused, two of each number. */
const HEADER_BYTES = 4;

function dimensionsIn(sent: Buffer): number {
  return (sent.length - HEADER_BYTES) / 2;
}

function readHalves(sent: Buffer): Float32Array {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  return Float32Array.from({ length: dimensionsIn(sent) }, (_, index) =>
    view.getFloat16(HEADER_BYTES + 2 * index),
  );
}
