import { CHUNK_TOKEN_DEFAULT } from "@signalbox/contract";
import { sql } from "kysely";
import { readModels } from "../../agents/index.ts";
import {
  inTransaction,
  openChatModelWithFallback,
  type ChatModel,
  type Database,
} from "../../platform/index.ts";
import { convertChunk, extractFile, type FileOnDisk } from "../intake/index.ts";
import {
  insertChunks,
  nextChunks,
  readChunks,
  recordResult,
  settleChunks,
  type StoredChunk,
} from "./chunk-store.ts";
import { dropRepeats } from "./drop-repeats.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import { holdRevision, type ClaimedRevision } from "./ingest-store.ts";
import type { IngestParts, StepOutcome } from "./ingest-parts.ts";
import { readKeptTags } from "./kept-tags.ts";
import { openPairCopy } from "./pair-copy.ts";
import { publishUnlessHeld } from "./publication-gate.ts";
import type { RevisionReport } from "./revision-store.ts";

const CALL_MS = 30_000;
const CHUNKS_AT_ONCE = 4;
/** Above this share of chunks the model could not do, the document is told to be partial. */
const FAILED_SHARE_MAX = 0.2;
const COPY_PAIRS = 1_000;

/** Reads the document once; from then on its text is in the database and the file is not needed again. */
export async function extractChunks(
  { db, limits }: IngestParts,
  revision: ClaimedRevision,
  file: FileOnDisk,
): Promise<StepOutcome> {
  const { splitter, chunkToken = CHUNK_TOKEN_DEFAULT } = revision;
  const extracted = await extractFile(file, { splitter, chunkToken, limits });
  if (extracted.kind === "failed") return extracted;
  const { pairs, chunks, problems } = extracted;
  return inTransaction<StepOutcome>(db, async (db) => {
    if (!(await holdRevision(db, revision))) return "interrupted";
    await insertChunks(db, revision, pairs, chunks);
    await updateRevision(db, revision, {
      chunks_total: chunks.length,
      report: JSON.stringify({ problems } satisfies RevisionReport),
    });
    return "more";
  });
}

/** Lets the model read chunks for as long as one call may take; each result is a row before the next is asked for. */
export async function convertNextChunks(
  parts: IngestParts,
  revision: ClaimedRevision,
  signal: AbortSignal,
): Promise<"done" | "more" | "interrupted"> {
  const { db, documentTokensMax, limits } = parts;
  const model = await chatModelOf(parts, revision.agentId);
  if (model === undefined) return "done";
  const until = performance.now() + CALL_MS;
  while (performance.now() < until) {
    if (signal.aborted) return "interrupted";
    if ((await tokensUsed(db, revision)) >= documentTokensMax) return "done";
    const chunks = await nextChunks(db, revision, model.model, CHUNKS_AT_ONCE);
    if (chunks.length === 0) return "done";
    await Promise.all(
      chunks.map(async (chunk) => {
        const converted = await convertChunk(model, chunk, { limits, signal });
        // A call that was cancelled says nothing about the chunk.
        if (converted.failed !== undefined && signal.aborted) return;
        await recordResult(db, revision, chunk, model.model, converted);
      }),
    );
  }
  return "more";
}

/** Everything the document gave becomes its current content at once. */
export async function publishConverted(parts: IngestParts, revision: ClaimedRevision): Promise<StepOutcome> {
  const { bulk, limits } = parts;
  const model = await chatModelOf(parts, revision.agentId);
  return bulk.inBulkTransaction<StepOutcome>(async (db, copyInto) => {
    if (!(await holdRevision(db, revision))) return { keep: false, result: "interrupted" };
    const { found, chunks } = await readChunks(db, revision, model?.model ?? "");
    const { pairs, duplicates } = dropRepeats([...found, ...(await pairsOf(chunks))]);
    if (pairs.length === 0 || pairs.length > limits.pairsMax)
      return { keep: false, result: shortfall(pairs.length, limits.pairsMax) };
    const indexer = createPairIndexer(revision.knowledgeBaseId, await readKeptTags(db, revision));
    const copy = await openPairCopy(db, copyInto, revision);
    for (let from = 0; from < pairs.length; from += COPY_PAIRS)
      await copy.write(await indexer.index(pairs.slice(from, from + COPY_PAIRS)));
    await copy.finish();
    const result = await publishUnlessHeld(parts, db, revision, {
      rowsRead: pairs.length + duplicates,
      pairs: pairs.length,
      rejected: 0,
      duplicates,
      blank: 0,
      conflicts: 0,
      characters: indexer.characters(),
      statistics: indexer.statistics(),
      report: await finalReport(db, revision, chunks, model),
    });
    await settleChunks(db, revision, model?.model ?? "");
    return { keep: true, result };
  });
}

async function chatModelOf(
  { db, sealer, outbound, modelQuota }: IngestParts,
  agentId: string,
): Promise<ChatModel | undefined> {
  const { chat, chat_fallback: fallback } = await readModels(db, sealer, agentId);
  if (chat === undefined) return undefined;
  return openChatModelWithFallback(outbound.models, { chat, fallback }, modelQuota.of(agentId));
}

/** A chunk no model has read is kept in its own words. */
async function pairsOf(chunks: StoredChunk[]): Promise<StoredPair[]> {
  const pairs: StoredPair[] = [];
  for (const chunk of chunks) pairs.push(...(chunk.result ?? (await convertChunk(undefined, chunk))).pairs);
  return pairs;
}

function shortfall(pairs: number, pairsMax: number): StepOutcome {
  return pairs === 0
    ? { kind: "failed", cause: "no_text", detail: "the file contains no text" }
    : {
        kind: "failed",
        cause: "too_many_pairs",
        detail: `the file gives ${pairs} pairs, and a document can have at most ${pairsMax}; split the file`,
      };
}

async function finalReport(
  db: Database,
  { agentId, ingestId }: ClaimedRevision,
  chunks: StoredChunk[],
  model: ChatModel | undefined,
): Promise<RevisionReport> {
  const { report } = await db
    .selectFrom("document_revision")
    .select("report")
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .executeTakeFirstOrThrow();
  // Safe because extractChunks above is the only writer of it.
  const extracted = report as RevisionReport;
  if (model === undefined || chunks.length === 0) return extracted;
  const unread = chunks.filter(({ result }) => result === undefined).length;
  const failed = chunks.filter(({ result }) => result?.failure !== undefined).length + unread;
  if (unread > 0) await updateRevision(db, { agentId, ingestId }, { chunks_failed: failed });
  if (failed <= FAILED_SHARE_MAX * chunks.length) return extracted;
  const why = unread > 0 ? "the document's token budget was used up" : "the model's output could not be used";
  return {
    ...extracted,
    cause: "partial",
    detail: `${failed} of ${chunks.length} chunks were stored as plain text: ${why}`,
  };
}

async function tokensUsed(db: Database, { agentId, ingestId }: ClaimedRevision): Promise<number> {
  const { used } = await db
    .selectFrom("document_revision")
    .select(sql<number>`prompt_tokens + completion_tokens`.as("used"))
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .executeTakeFirstOrThrow();
  return used;
}

async function updateRevision(
  db: Database,
  { agentId, ingestId }: Pick<ClaimedRevision, "agentId" | "ingestId">,
  changes: { chunks_total?: number; chunks_failed?: number; report?: string },
): Promise<void> {
  await db
    .updateTable("document_revision")
    .set(changes)
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .execute();
}
