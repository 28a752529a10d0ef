import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import { PROMPT_VERSION, type Chunk, type ConvertedChunk, type IncomingPair } from "../intake/index.ts";
import type { ClaimedRevision } from "./ingest-store.ts";

/** A piece of a document's text and, once a model has read it, what came of it. */
export interface StoredChunk extends Chunk {
  hash: Buffer;
  result: { pairs: IncomingPair[]; failure: string | undefined } | undefined;
}

const BATCH_CHUNKS = 500;

/** Under ordinal 0 stand the pairs that the document holds itself, so that one look tells whether it was read. */
export async function insertChunks(
  db: Database,
  { agentId, ingestId }: ClaimedRevision,
  pairs: IncomingPair[],
  chunks: Chunk[],
): Promise<void> {
  const base = { agent_id: agentId, ingest_id: ingestId };
  await db
    .insertInto("ingest_chunk")
    .values({
      ...base,
      ordinal: 0,
      text: "",
      heading_path: [],
      tokens: 0,
      chunk_hash: Buffer.alloc(0),
      pairs: JSON.stringify(pairs),
    })
    .execute();
  for (let from = 0; from < chunks.length; from += BATCH_CHUNKS) {
    const batch = chunks.slice(from, from + BATCH_CHUNKS);
    // Lists as parameters: a statement is planned once by its text, so its text must not grow with the batch.
    await sql`
      insert into ingest_chunk (agent_id, ingest_id, ordinal, text, heading_path, page, tokens, chunk_hash)
      select ${agentId}::uuid, ${ingestId}::uuid, ${from}::integer + place, text,
        array(select jsonb_array_elements_text(heading_path::jsonb)), page, tokens, chunk_hash
      from unnest(${batch.map(({ text }) => text)}::text[],
        ${batch.map(({ headingPath }) => JSON.stringify(headingPath))}::text[],
        ${batch.map(({ page }) => page ?? null)}::integer[], ${batch.map(({ tokens }) => tokens)}::integer[],
        ${batch.map(hashOf)}::bytea[]) with ordinality as chunk(text, heading_path, page, tokens, chunk_hash, place)`.execute(
      db,
    );
  }
}

function hashOf({ text, headingPath }: Chunk): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([headingPath, text]))
    .digest();
}

interface ChunkRow {
  ordinal: number;
  text: string;
  heading_path: string[];
  page: number | null;
  tokens: number;
  chunk_hash: Buffer;
  pairs: IncomingPair[] | null;
  result_pairs: IncomingPair[] | null;
  failure: string | null;
}

function chunkOf(row: ChunkRow): StoredChunk {
  return {
    ordinal: row.ordinal,
    text: row.text,
    headingPath: row.heading_path,
    tokens: row.tokens,
    hash: row.chunk_hash,
    ...(row.page === null ? {} : { page: row.page }),
    result:
      row.result_pairs === null ? undefined : { pairs: row.result_pairs, failure: row.failure ?? undefined },
  };
}

/** A result of an earlier revision counts as this one's, unless it is a failure: that is worth another try. */
function chunksWithResults({ agentId, ingestId, documentId, revision }: ClaimedRevision, model: string) {
  return sql`
    from ingest_chunk c left join chunk_result r on r.agent_id = c.agent_id and r.document_id = ${documentId}
      and r.chunk_hash = c.chunk_hash and r.prompt = ${PROMPT_VERSION} and r.model = ${model}
      and (r.failure is null or r.revision = ${revision})
    where c.agent_id = ${agentId} and c.ingest_id = ${ingestId}`;
}

export async function nextChunks(
  db: Database,
  revision: ClaimedRevision,
  model: string,
  most: number,
): Promise<StoredChunk[]> {
  const { rows } = await sql<ChunkRow>`
    select c.*, null as result_pairs, null as failure ${chunksWithResults(revision, model)}
      and c.ordinal > 0 and r.chunk_hash is null
    order by c.ordinal limit ${most}`.execute(db);
  // The same words twice in a document are asked about once.
  const seen = new Set<string>();
  return rows
    .map(chunkOf)
    .filter(({ hash }) => !seen.has(hash.toString("hex")) && seen.add(hash.toString("hex")));
}

export async function readChunks(
  db: Database,
  revision: ClaimedRevision,
  model: string,
): Promise<{ found: IncomingPair[]; chunks: StoredChunk[] }> {
  const { rows } = await sql<ChunkRow>`
    select c.*, r.pairs as result_pairs, r.failure ${chunksWithResults(revision, model)} order by c.ordinal`.execute(
    db,
  );
  const [first, ...rest] = rows;
  return { found: first?.pairs ?? [], chunks: rest.map(chunkOf) };
}

/** One row, committed before the next chunk is paid for. */
export async function recordResult(
  db: Database,
  { agentId, documentId, revision, ingestId }: ClaimedRevision,
  chunk: StoredChunk,
  model: string,
  { pairs, unsupported, usage, failed }: ConvertedChunk,
): Promise<void> {
  const { promptTokens, completionTokens } = usage;
  const result = {
    revision,
    pairs: JSON.stringify(pairs),
    unsupported,
    failure: failed ?? null,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
  };
  const key = { agent_id: agentId, document_id: documentId, chunk_hash: chunk.hash };
  await db
    .with("recorded", (db) =>
      db
        .insertInto("chunk_result")
        .values({ ...key, prompt: PROMPT_VERSION, model, ...result })
        .onConflict((conflict) =>
          conflict.columns(["agent_id", "document_id", "chunk_hash", "prompt", "model"]).doUpdateSet(result),
        ),
    )
    .updateTable("document_revision")
    .set({
      beat_at: sql`now()`,
      chunks_done: sql`least(chunks_total, chunks_done + 1)`,
      chunks_failed: sql`chunks_failed + ${failed === undefined ? 0 : 1}`,
      unsupported: sql`unsupported + ${unsupported}`,
      prompt_tokens: sql`prompt_tokens + ${promptTokens}`,
      completion_tokens: sql`completion_tokens + ${completionTokens}`,
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .execute();
}

/** Removes the working rows. A model's result for text that is still there stays for the next revision. */
export async function settleChunks(
  db: Database,
  { agentId, ingestId, documentId, revision }: ClaimedRevision,
  model: string,
): Promise<void> {
  await sql`
    update chunk_result r set revision = ${revision} from ingest_chunk c
    where c.agent_id = ${agentId} and c.ingest_id = ${ingestId} and r.agent_id = ${agentId} and r.document_id = ${documentId}
      and r.chunk_hash = c.chunk_hash and r.prompt = ${PROMPT_VERSION} and r.model = ${model}`.execute(db);
  await db
    .deleteFrom("chunk_result")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "<", revision)
    .execute();
  await db
    .deleteFrom("ingest_chunk")
    .where("agent_id", "=", agentId)
    .where("ingest_id", "=", ingestId)
    .execute();
}
