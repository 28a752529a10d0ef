import { sql, type RawBuilder } from "kysely";
import { readModels } from "../../agents/index.ts";
import {
  inTransaction,
  openEmbeddingModel,
  type Database,
  type EmbeddingModel,
} from "../../platform/index.ts";
import { ENCODER_MODEL } from "../encoder/encoder.ts";
import { ANSWER_FORM, PAIR_FORM, QUESTION_FORM, vectorText } from "../retrieval/candidates.ts";
import { hasVectorTable } from "../retrieval/dense.ts";
import { readContent } from "./content-change.ts";
import { lockDocuments } from "./document-store.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { withinItsLanguage } from "./known-language.ts";
import { lastOrdinal, type RevisionKey } from "./pair-store.ts";
import { keepVectors, raiseBaseVersion } from "./revision-store.ts";

export type EmbedOutcome = { kind: "done" } | { kind: "more"; afterMs: number };

const CALL_MS = 30_000;
const TEXTS_AT_ONCE = 64;
/** Models read a few hundred words of a text; what an answer is about stands at its beginning. */
const ANSWER_CHARACTERS = 2_000;
const AFTER_FAILURE_MS = 30_000;

interface PairToEmbed {
  ordinal: number;
  question: string;
  alternates: string[];
  answer: string;
}

/** Makes the vectors that a current revision lacks, for as long as one call may take. Until they are there, words find its pairs. */
export async function embedNextPairs(
  parts: IngestParts,
  agentId: string,
  ingestId: string,
  signal: AbortSignal,
): Promise<EmbedOutcome> {
  const { db, log } = parts;
  const ofAgent = await modelFor(parts, agentId, ingestId);
  if (ofAgent === undefined || !(await hasVectorTable(db))) return { kind: "done" };
  const revision = await currentRevision(db, agentId, ingestId, ofAgent.model);
  if (revision === undefined) return { kind: "done" };
  const model = await withinItsLanguage(db, ofAgent, parts.encoder, revision);
  const until = performance.now() + CALL_MS;
  let after = revision.embeddedThrough;
  while (performance.now() < until && !signal.aborted) {
    const pairs = await pairsWithoutVectors(db, revision, model.model, after);
    if (pairs.length === 0) {
      if (!(await finish(db, revision, model.model, after))) continue;
      await indexLargeBase(parts, revision, model.model);
      return { kind: "done" };
    }
    const failure = await embedBatch(db, revision, model, pairs, signal);
    if (failure !== undefined) {
      log.warn("pairs_not_embedded", { agentId, documentId: revision.documentId, ...failure });
      return { kind: "more", afterMs: Math.max(AFTER_FAILURE_MS, failure.retryAfterMs ?? 0) };
    }
    const changed = pairs.filter(({ ordinal }) => ordinal <= after);
    if (changed.length > 0) await settleChanged(db, revision, changed);
    after = Math.max(after, pairs.at(-1)?.ordinal ?? after);
    await addToCount(db, revision, pairs.length, after);
  }
  return { kind: "more", afterMs: 0 };
}

/** A content that somebody looks at before it is published has its vectors first, as far as they are made in this time. */
const BEFORE_PUBLISHING_MS = 60_000;

export async function embedBeforePublishing(
  parts: IngestParts,
  db: Database,
  key: RevisionKey,
  pairsInAll: number,
): Promise<void> {
  const ofAgent = await modelOf(parts, key.agentId, pairsInAll);
  if (ofAgent === undefined || !(await hasVectorTable(db))) return;
  const model = await withinItsLanguage(db, ofAgent, parts.encoder, key);
  await keepVectors(db, key);
  const signal = AbortSignal.any([parts.stopping, AbortSignal.timeout(BEFORE_PUBLISHING_MS)]);
  let after = 0;
  while (!signal.aborted) {
    const pairs = await pairsWithoutVectors(db, key, model.model, after);
    if (pairs.length === 0 || (await embedBatch(db, key, model, pairs, signal)) !== undefined) break;
    after = pairs.at(-1)?.ordinal ?? after;
  }
  // The search asks for vectors of models that a revision names.
  await updateRevision(db, key).set({ embedding_with: model.model }).execute();
}

/** The built-in encoder compares what words found with all pairs of a small base; in a large one words find enough. */
export const ENCODED_PAIRS_MAX = 5_000;

/** The agent's own, or the built-in encoder where it has none. */
async function modelFor(
  parts: IngestParts,
  agentId: string,
  ingestId: string,
): Promise<EmbeddingModel | undefined> {
  const row = await parts.db
    .selectFrom("document_revision")
    .select("pairs")
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .executeTakeFirst();
  return modelOf(parts, agentId, row?.pairs ?? Infinity);
}

async function modelOf(
  { db, sealer, outbound, modelQuota, encoder }: IngestParts,
  agentId: string,
  pairs: number,
): Promise<EmbeddingModel | undefined> {
  const { embedding } = await readModels(db, sealer, agentId);
  if (embedding !== undefined) return openEmbeddingModel(outbound.models, embedding, modelQuota.of(agentId));
  return encoder === undefined || pairs > ENCODED_PAIRS_MAX ? undefined : encoder.asModel();
}

interface RevisionToEmbed extends RevisionKey {
  /** Every pair up to this ordinal has its vectors. */
  embeddedThrough: number;
}

/** The model is written down before its first vector is, because vectors take the place of another model's one by one. */
async function currentRevision(
  db: Database,
  agentId: string,
  ingestId: string,
  model: string,
): Promise<RevisionToEmbed | undefined> {
  const row = await db
    .updateTable("document_revision")
    .set({
      beat_at: sql`now()`,
      embedding_with: model,
      embedded_through: sql`case when embedding_with = ${model} then embedded_through else 0 end`,
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .where("state", "=", "current")
    .returning(["document_id", "knowledge_base_id", "revision", "embedded_through"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    agentId,
    documentId: row.document_id,
    knowledgeBaseId: row.knowledge_base_id,
    revision: row.revision,
    embeddedThrough: row.embedded_through,
  };
}

/** Behind `after`, and those before it that were changed, whatever vectors they have: these may be of their old texts. */
async function pairsWithoutVectors(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
  model: string,
  after: number,
): Promise<PairToEmbed[]> {
  const pairs = (which: RawBuilder<unknown>) => sql`
    select p.ordinal, p.question, p.alternates, left(p.answer, ${ANSWER_CHARACTERS}) as answer
    from qa_pair p
    where p.knowledge_base_id = ${knowledgeBaseId} and p.document_id = ${documentId} and p.revision = ${revision} and ${which}
    order by p.ordinal limit ${TEXTS_AT_ONCE / 2}`;
  const changed = sql`p.ordinal <= ${after} and p.ordinal = any((
    select changed_ordinals from document_revision
    where agent_id = ${agentId} and document_id = ${documentId} and revision = ${revision})::integer[])`;
  const lacking = sql`p.ordinal > ${after} and not exists (
    select from qa_embedding e
    where e.knowledge_base_id = ${knowledgeBaseId} and e.document_id = ${documentId} and e.revision = ${revision}
      and e.ordinal = p.ordinal and e.form = ${QUESTION_FORM} and e.model = ${model})`;
  const { rows } = await sql<PairToEmbed>`
    select * from ((${pairs(changed)}) union all (${pairs(lacking)})) p
    order by ordinal limit ${TEXTS_AT_ONCE / 2}`.execute(db);
  return rows;
}

interface TextToEmbed {
  ordinal: number;
  form: number;
  text: string;
}

/** Undefined when all went well. */
async function embedBatch(
  db: Database,
  key: RevisionKey,
  model: EmbeddingModel,
  pairs: PairToEmbed[],
  signal: AbortSignal,
): Promise<{ cause: string; detail: string; retryAfterMs?: number } | undefined> {
  // The question comes last of its pair's forms: what has that one has them all.
  const texts: TextToEmbed[] = pairs.flatMap(({ ordinal, question, alternates, answer }) => [
    ...alternates.map((text, index) => ({ ordinal, form: index + 1, text })),
    // Costs a third call more: a model that is paid for is not asked for it.
    ...(model.model === ENCODER_MODEL ? [{ ordinal, form: PAIR_FORM, text: `${question} ${answer}` }] : []),
    { ordinal, form: ANSWER_FORM, text: answer },
    { ordinal, form: QUESTION_FORM, text: question },
  ]);
  for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
    const batch = texts.slice(from, from + TEXTS_AT_ONCE);
    const embedded = await model.embed(
      batch.map(({ text }) => text),
      signal,
    );
    if (embedded.kind === "failed") return embedded;
    await insertVectors(db, key, model.model, batch, embedded.vectors);
  }
  return undefined;
}

async function insertVectors(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
  model: string,
  texts: TextToEmbed[],
  vectors: number[][],
): Promise<void> {
  // Empty for a text that the model cannot read.
  const made = texts.flatMap((text, at) => {
    const vector = vectors[at] ?? [];
    return vector.length === 0 ? [] : [{ ...text, vector: vectorText(vector) }];
  });
  if (made.length === 0) return;
  // A pair that was changed while the model read its old text gets no vector of that.
  await sql`
    insert into qa_embedding (agent_id, knowledge_base_id, document_id, revision, ordinal, form, model, vector)
    select ${agentId}::uuid, ${knowledgeBaseId}::uuid, ${documentId}::uuid, ${revision}::integer, made.ordinal, made.form, ${model},
      made.vector::halfvec
    from unnest(${made.map(({ ordinal }) => ordinal)}::integer[], ${made.map(({ form }) => form)}::integer[],
      ${made.map(({ vector }) => vector)}::text[], ${made.map(({ text }) => text)}::text[]) as made(ordinal, form, vector, text)
      cross join lateral (
        select from qa_pair p
        where p.knowledge_base_id = ${knowledgeBaseId} and p.document_id = ${documentId} and p.revision = ${revision}
          and p.ordinal = made.ordinal
          and made.text = case made.form when ${sql.lit(QUESTION_FORM)} then p.question
            when ${sql.lit(ANSWER_FORM)} then left(p.answer, ${ANSWER_CHARACTERS})
            when ${sql.lit(PAIR_FORM)} then p.question || ' ' || left(p.answer, ${ANSWER_CHARACTERS})
            else p.alternates[made.form] end
        limit 1) p
    on conflict (knowledge_base_id, document_id, revision, ordinal, form, agent_id)
      do update set model = excluded.model, vector = excluded.vector`.execute(db);
}

/** They wait no longer, unless they were changed again. One that the model cannot read waits no longer either. */
async function settleChanged(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
  pairs: PairToEmbed[],
): Promise<void> {
  await inTransaction(db, async (db) => {
    await lockDocuments(db, agentId, [documentId]);
    await sql`
      update document_revision r set changed_ordinals = array(
        select waiting from unnest(r.changed_ordinals) waiting where waiting not in (
          select p.ordinal
          from unnest(${pairs.map(({ ordinal }) => ordinal)}::integer[], ${pairs.map(({ question }) => question)}::text[],
              ${pairs.map(({ answer }) => answer)}::text[],
              ${pairs.map(({ alternates }) => JSON.stringify(alternates))}::text[]) as seen(ordinal, question, answer, alternates)
            join qa_pair p on p.knowledge_base_id = ${knowledgeBaseId} and p.document_id = ${documentId}
              and p.revision = ${revision} and p.ordinal = seen.ordinal
          where p.question = seen.question and left(p.answer, ${ANSWER_CHARACTERS}) = seen.answer
            and to_jsonb(p.alternates) = seen.alternates::jsonb))
      where r.agent_id = ${agentId} and r.document_id = ${documentId} and r.revision = ${revision}`.execute(
      db,
    );
  });
}

async function addToCount(db: Database, key: RevisionKey, added: number, through: number): Promise<void> {
  await updateRevision(db, key)
    .set({
      beat_at: sql`now()`,
      vectors: sql`coalesce(vectors, 0) + ${added}`,
      embedded_through: through,
    })
    .execute();
}

/** False when pairs were appended since the last look: an append holds the document's lock until its commit. */
function finish(db: Database, key: RevisionKey, model: string, after: number): Promise<boolean> {
  const { agentId, documentId } = key;
  return inTransaction(db, async (db) => {
    const document = (await lockDocuments(db, agentId, [documentId])).get(documentId);
    if (document === undefined || document.currentRevision !== key.revision) return true;
    if ((await pairsWithoutVectors(db, key, model, after)).length > 0) return false;
    const { pairs: vectors } = await readContent(db, agentId, document);
    const embedded_through = await lastOrdinal(db, key);
    await updateRevision(db, key).set({ vectors, embedded_with: model, embedded_through }).execute();
    // The base in memory has no vectors yet.
    await raiseBaseVersion(db, agentId, key.knowledgeBaseId);
    return true;
  });
}

/** Up to here looking at every vector of a base takes less than a tenth of a second. */
const SCANNED_PAIRS_MAX = 50_000;

/** No statement of ours takes as long as building an index: it has a connection without a limit. */
async function indexLargeBase(
  { db, bulk, log }: IngestParts,
  { agentId, knowledgeBaseId }: RevisionKey,
  model: string,
): Promise<void> {
  const { rows } = await sql<{ dimensions: number }>`
    select vector_dims(vector) as dimensions from qa_embedding
    where agent_id = ${agentId} and knowledge_base_id = ${knowledgeBaseId} and model = ${model}
      and ${SCANNED_PAIRS_MAX} < (
        select sum(vectors) from document_revision
        where agent_id = ${agentId} and knowledge_base_id = ${knowledgeBaseId} and state = 'current')
    limit 1`.execute(db);
  const dimensions = rows[0]?.dimensions;
  if (dimensions === undefined) return;
  const built = await bulk.inBulkTransaction(async (db) => {
    const { rows } = await sql<{ built: boolean }>`
      select signalbox_index_vectors(${knowledgeBaseId}, ${model}, ${dimensions}) as built`.execute(db);
    return { keep: true, result: rows[0]?.built ?? false };
  });
  if (built) log.info("vector_index_created", { agentId, knowledgeBaseId, model });
}

function updateRevision(db: Database, { agentId, documentId, revision }: RevisionKey) {
  return db
    .updateTable("document_revision")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision);
}
