import { sql } from "kysely";
import { createTimeSlice, type Database } from "../../platform/index.ts";
import {
  createBaseIndex,
  unitVector,
  type BaseIndex,
  type IndexedCandidate,
  type IndexedVector,
  type VectorIndex,
} from "./base-index.ts";
import { candidateColumns, candidateOf, longAnswer, type CandidateRow } from "./candidates.ts";
import { hasVectorTable } from "./dense.ts";
import { withoutPrefix } from "./lexemes.ts";
import type { VersionedBase } from "./statistics-cache.ts";

export interface LoadedBase {
  version: number;
  index: BaseIndex;
  bytes: number;
}

/** Estimates, on the safe side: of a pair's objects, of a lexeme in the lists of where it occurs, and of a vector's. */
const PAIR_BYTES = 600;
const LEXEME_BYTES = 24;
const VECTOR_BYTES = 120;

/** Version, pairs and vectors of one snapshot. Undefined when there are more pairs, or the base is gone. */
export function loadBase(
  db: Database,
  { agentId, id }: VersionedBase,
  pairsMax: number,
): Promise<LoadedBase | undefined> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (db) => {
      const base = await db
        .selectFrom("knowledge_base")
        .select("version")
        .where("agent_id", "=", agentId)
        .where("id", "=", id)
        .executeTakeFirst();
      const rows = await readPairs(db, agentId, id, pairsMax + 1);
      if (base === undefined || rows.length > pairsMax) return undefined;
      const { pairs, bytes } = await readRows(rows);
      const vectors = await readVectors(db, agentId, id, pairs);
      const vectorBytes = (vectors?.vectors.length ?? 0) * (VECTOR_BYTES + 4 * (vectors?.dimensions ?? 0));
      return { version: base.version, index: createBaseIndex(pairs, vectors), bytes: bytes + vectorBytes };
    });
}

interface PairRow extends CandidateRow {
  question_lexemes: string[];
  lexemes: string[];
}

async function readPairs(db: Database, agentId: string, baseId: string, most: number): Promise<PairRow[]> {
  const { rows } = await sql<PairRow>`
    select ${candidateColumns()}, ${longAnswer()} as answer, null as question_cosine, null as answer_cosine,
      tsvector_to_array(ts_filter(p.terms, '{a}')) as question_lexemes, tsvector_to_array(p.terms) as lexemes
    from document d join qa_pair p on p.document_id = d.id and p.revision = d.current_revision
    where d.agent_id = ${agentId} and d.knowledge_base_id = ${baseId} and d.deleted_at is null
      and p.agent_id = ${agentId} and p.knowledge_base_id = ${baseId}
    order by p.document_id, p.ordinal limit ${most}`.execute(db);
  return rows;
}

async function readRows(rows: PairRow[]): Promise<{ pairs: IndexedCandidate[]; bytes: number }> {
  const giveWay = createTimeSlice();
  const pairs: IndexedCandidate[] = [];
  let bytes = 0;
  for (const row of rows) {
    const questionLexemes = new Set(row.question_lexemes.map(withoutPrefix));
    const answerLexemes = row.lexemes.map(withoutPrefix).filter((lexeme) => !questionLexemes.has(lexeme));
    const candidate = candidateOf(row);
    const { question, alternates, answerStart, answer } = candidate;
    const characters = [question, ...alternates, answerStart, answer ?? ""].join("").length;
    bytes += PAIR_BYTES + 2 * characters + LEXEME_BYTES * row.lexemes.length;
    pairs.push({ candidate, questionLexemes: [...questionLexemes], answerLexemes });
    await giveWay();
  }
  return { pairs, bytes };
}

interface VectorRow {
  document_id: string;
  ordinal: number;
  form: number;
  model: string;
  sent: Buffer;
}

/** Undefined unless every pair has its vectors, all of one model: until then PostgreSQL knows more. */
async function readVectors(
  db: Database,
  agentId: string,
  baseId: string,
  pairs: IndexedCandidate[],
): Promise<VectorIndex | undefined> {
  if (!(await hasVectorTable(db))) return undefined;
  const { rows } = await sql<VectorRow>`
    select e.document_id, e.ordinal, e.form, e.model, halfvec_send(e.vector) as sent
    from document d join qa_embedding e on e.document_id = d.id and e.revision = d.current_revision
    where d.agent_id = ${agentId} and d.knowledge_base_id = ${baseId} and d.deleted_at is null
      and e.agent_id = ${agentId} and e.knowledge_base_id = ${baseId}`.execute(db);
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
    if (form === 0) embedded.add(place);
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
