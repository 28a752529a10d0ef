import { sql } from "kysely";
import { newId, type Database } from "../../platform/index.ts";
import { addStatistics, noStatistics, writeStatistics } from "../retrieval/statistics.ts";
import { TERMS_VERSION } from "../retrieval/terms.ts";
import { createTimeSlice } from "../retrieval/time-slice.ts";
import type { FoundDocument } from "./document-store.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import { insertPairs, lastOrdinal } from "./pair-store.ts";
import { raiseBaseVersion } from "./revision-store.ts";

/** What a document holds, its appends included. */
export interface CurrentContent {
  pairs: number;
  characters: number;
}

export async function readContent(
  db: Database,
  agentId: string,
  { id, latestRevision }: FoundDocument,
): Promise<CurrentContent> {
  return db
    .selectFrom("document_revision")
    .select(["pairs", "characters"])
    .where("agent_id", "=", agentId)
    .where("document_id", "=", id)
    .where("revision", "=", latestRevision)
    .executeTakeFirstOrThrow();
}

/**
 * Adds pairs to the content that readers see, for as many rows as are added: they see none of them before the commit and
 * all of them after it. The document is locked, so appends and imports of it come one after the other.
 */
export async function appendPairs(
  db: Database,
  agentId: string,
  document: FoundDocument,
  before: CurrentContent,
  added: StoredPair[],
): Promise<void> {
  const { id: documentId, knowledgeBaseId, currentRevision } = document;
  const indexer = createPairIndexer(knowledgeBaseId);
  const indexed = await indexer.index(added);
  const content = { agentId, knowledgeBaseId, documentId, revision: currentRevision };
  await insertPairs(db, content, indexed, await lastOrdinal(db, content));
  const statistics = await takeOverStatistics(db, agentId, document, added.length, indexer.statistics());
  const revision = await takeNumber(db, agentId, documentId);
  const pairs = before.pairs + added.length;
  await db
    .insertInto("document_revision")
    .values({
      agent_id: agentId,
      document_id: documentId,
      revision,
      id: newId(),
      knowledge_base_id: knowledgeBaseId,
      import_id: newId(),
      reading: "text",
      state: "appended",
      rows_read: pairs,
      pairs,
      characters: before.characters + indexer.characters(),
      statistics,
      terms_version: TERMS_VERSION,
      finished_at: sql`now()`,
    })
    .execute();
  await askForVectors(db, agentId, document);
  await raiseBaseVersion(db, agentId, knowledgeBaseId);
}

/** Numbers say in which order updates were accepted: an import with a lower one comes too late. */
async function takeNumber(db: Database, agentId: string, documentId: string): Promise<number> {
  const { extended_revision } = await db
    .updateTable("document")
    .set({
      last_revision: sql`last_revision + 1`,
      extended_revision: sql`last_revision + 1`,
      updated_at: sql`now()`,
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", documentId)
    .returning("extended_revision")
    .executeTakeFirstOrThrow();
  return extended_revision;
}

/**
 * The word counts of the added pairs, together with those of the revisions before that speak for no more pairs: the
 * logarithmic method. A content of n pairs has at most about log2(n) parts, and counts are written anew as often.
 */
async function takeOverStatistics(
  db: Database,
  agentId: string,
  document: FoundDocument,
  added: number,
  counted: string,
): Promise<string> {
  const taken = partsToTake(await readParts(db, agentId, document), added);
  if (taken.length === 0) return counted;
  const rows = await db
    .selectFrom("document_revision")
    .select("statistics")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", document.id)
    .where("revision", "in", taken)
    .execute();
  const all = noStatistics();
  const giveWay = createTimeSlice();
  for (const written of [counted, ...rows.map(({ statistics }) => statistics)])
    if (written !== null) await addStatistics(all, written, giveWay);
  // The first revision stays current, as the pairs are under its number. Of an append nothing is left to be swept.
  await sql`
    update document_revision set statistics = null,
      state = case state when 'appended' then 'superseded' else state end,
      swept_at = case state when 'appended' then now() end
    where agent_id = ${agentId} and document_id = ${document.id} and revision = any(${taken}::integer[])`.execute(
    db,
  );
  return writeStatistics(all);
}

/** A revision with word counts; `pairs` are all of the content up to it. */
interface StatisticsPart {
  revision: number;
  pairs: number;
}

function readParts(
  db: Database,
  agentId: string,
  { id, knowledgeBaseId }: FoundDocument,
): Promise<StatisticsPart[]> {
  return db
    .selectFrom("document_revision")
    .select(["revision", "pairs"])
    .where("agent_id", "=", agentId)
    .where("knowledge_base_id", "=", knowledgeBaseId)
    .where("document_id", "=", id)
    .where("state", "in", ["current", "appended"])
    .where("statistics", "is not", null)
    .orderBy("revision")
    .execute();
}

function partsToTake(parts: StatisticsPart[], added: number): number[] {
  const taken: number[] = [];
  let pairs = added;
  for (let last = parts.length - 1; last >= 0; last -= 1) {
    const { revision, pairs: upToHere } = parts[last]!;
    const own = upToHere - (parts[last - 1]?.pairs ?? 0);
    if (own > pairs) break;
    taken.push(revision);
    pairs += own;
  }
  return taken;
}

/** The sweep finds the content without vectors; those that are there stay. */
async function askForVectors(
  db: Database,
  agentId: string,
  { id, currentRevision }: FoundDocument,
): Promise<void> {
  await db
    .updateTable("document_revision")
    .set({ embedded_with: null })
    .where("agent_id", "=", agentId)
    .where("document_id", "=", id)
    .where("revision", "=", currentRevision)
    .where("embedded_with", "is not", null)
    .execute();
}
