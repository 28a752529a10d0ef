import { sql, type RawBuilder } from "kysely";
import { authorColumns, createTimeSlice, newId, type Database } from "../../platform/index.ts";
import { addStatistics, writeStatistics, type Statistics } from "../retrieval/statistics.ts";
import { TERMS_VERSION } from "../retrieval/terms.ts";
import type { FoundDocument } from "./document-store.ts";
import { raiseBaseVersion, type RevisionAuthor } from "./revision-store.ts";

/** What a document holds, its appends and edits included. */
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

/** How a content differs from what it was, for pairs that were added, changed or deleted in place. */
export interface ContentChange {
  /** append: pairs that came together. edit: one pair that somebody wrote. */
  change: "append" | "edit";
  by?: RevisionAuthor | undefined;
  /** The content after the change. */
  after: CurrentContent;
  /** The pairs whose words `statistics` counts, with a minus for what is gone: the fewer, the less is written. */
  touched: { added: number; edited: number };
  statistics: Statistics;
  /** The pair that was changed in place, whose vectors are gone. */
  changedOrdinal?: number;
}

/** Writes down that the content changed, for as much as changed. The document is locked, and the pairs are written. */
export async function recordContentChange(
  db: Database,
  agentId: string,
  document: FoundDocument,
  { change, by, after, touched, statistics, changedOrdinal }: ContentChange,
): Promise<void> {
  const { knowledgeBaseId } = document;
  const taken = await takeOverStatistics(db, agentId, document, touched, statistics);
  await insertChange(db, agentId, document, { change, by, after }, { state: "appended", ...taken });
  await askForVectors(db, agentId, document, changedOrdinal);
  await raiseBaseVersion(db, agentId, knowledgeBaseId);
}

/** Tags are no words that are counted or compared: searches go on with what they know. */
export async function recordTagChange(
  db: Database,
  agentId: string,
  document: FoundDocument,
  by: RevisionAuthor,
): Promise<void> {
  const after = await readContent(db, agentId, document);
  // Nothing of it is left to be merged or swept.
  const row = { state: "superseded", swept_at: sql<Date>`now()` };
  await insertChange(db, agentId, document, { change: "edit", by, after }, row);
}

async function insertChange(
  db: Database,
  agentId: string,
  { id: documentId, knowledgeBaseId }: FoundDocument,
  { change, by, after }: Pick<ContentChange, "change" | "by" | "after">,
  row: { state: string; swept_at?: RawBuilder<Date>; statistics?: string; edits?: number },
): Promise<void> {
  const revision = await takeNumber(db, agentId, documentId);
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
      change,
      ...(by === undefined ? {} : authorColumns(by)),
      rows_read: after.pairs,
      pairs: after.pairs,
      characters: after.characters,
      ...row,
      terms_version: TERMS_VERSION,
      finished_at: sql`now()`,
    })
    .execute();
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
 * The word counts of this change, together with those of the revisions before that speak for no more pairs: the logarithmic
 * method. After n changes there are at most about log2(n) parts, and counts are written anew as often.
 */
async function takeOverStatistics(
  db: Database,
  agentId: string,
  document: FoundDocument,
  { added, edited }: ContentChange["touched"],
  counted: Statistics,
): Promise<{ statistics: string; edits: number }> {
  const parts = await readParts(db, agentId, document);
  const taken = partsToTake(parts, added + edited);
  // What speaks for the whole content is a new beginning.
  const isWhole = taken.length === parts.length;
  const edits = isWhole ? 0 : taken.reduce((sum, part) => sum + part.edits, edited);
  if (taken.length === 0) return { statistics: writeStatistics(counted), edits };
  const revisions = taken.map(({ revision }) => revision);
  const rows = await db
    .selectFrom("document_revision")
    .select("statistics")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", document.id)
    .where("revision", "in", revisions)
    .execute();
  const giveWay = createTimeSlice();
  for (const { statistics } of rows)
    if (statistics !== null) await addStatistics(counted, statistics, giveWay);
  // The first revision stays current, as the pairs are under its number. An append leaves nothing to sweep.
  await sql`
    update document_revision set statistics = null, edits = 0,
      state = case state when 'appended' then 'superseded' else state end,
      swept_at = case state when 'appended' then now() end
    where agent_id = ${agentId} and document_id = ${document.id} and revision = any(${revisions}::integer[])`.execute(
    db,
  );
  return { statistics: writeStatistics(counted), edits };
}

/** A revision with word counts; `pairs` are all of the content up to it. */
interface StatisticsPart {
  revision: number;
  pairs: number;
  edits: number;
}

function readParts(
  db: Database,
  agentId: string,
  { id, knowledgeBaseId }: FoundDocument,
): Promise<StatisticsPart[]> {
  return db
    .selectFrom("document_revision")
    .select(["revision", "pairs", "edits"])
    .where("agent_id", "=", agentId)
    .where("knowledge_base_id", "=", knowledgeBaseId)
    .where("document_id", "=", id)
    .where("state", "in", ["current", "appended"])
    .where("statistics", "is not", null)
    .orderBy("revision")
    .execute();
}

function partsToTake(parts: StatisticsPart[], touched: number): StatisticsPart[] {
  const taken: StatisticsPart[] = [];
  let pairs = touched;
  for (let last = parts.length - 1; last >= 0; last -= 1) {
    const part = parts[last]!;
    const own = Math.max(0, part.pairs - (parts[last - 1]?.pairs ?? 0)) + part.edits;
    if (own > pairs) break;
    taken.push(part);
    pairs += own;
  }
  return taken;
}

/** The sweep finds the content without vectors; those that are there stay. */
async function askForVectors(
  db: Database,
  agentId: string,
  { id, currentRevision }: FoundDocument,
  changedOrdinal: number | undefined,
): Promise<void> {
  const changed =
    changedOrdinal === undefined
      ? {}
      : {
          changed_ordinals: sql<
            number[]
          >`array_append(array_remove(changed_ordinals, ${changedOrdinal}::integer), ${changedOrdinal}::integer)`,
          vectors: sql<number | null>`greatest(vectors - 1, 0)`,
        };
  await db
    .updateTable("document_revision")
    .set({ embedded_with: null, ...changed })
    .where("agent_id", "=", agentId)
    .where("document_id", "=", id)
    .where("revision", "=", currentRevision)
    .$if(changedOrdinal === undefined, (query) => query.where("embedded_with", "is not", null))
    .execute();
}
