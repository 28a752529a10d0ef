import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { PairTexts } from "../pairs/pair-versions.ts";

/** A document as it was when the export began: its pairs are read of this content, whatever replaces it meanwhile. */
export interface DocumentToExport {
  id: string;
  name: string;
  knowledgeBaseId: string;
  revision: number;
}

export interface ExportScope {
  agentId: string;
  knowledgeBaseId: string | undefined;
  documentId: string | undefined;
}

export async function documentsToExport(
  db: Database,
  { agentId, knowledgeBaseId, documentId }: ExportScope,
): Promise<DocumentToExport[]> {
  const rows = await db
    .selectFrom("document")
    .select(["id", "name", "knowledge_base_id", "current_revision"])
    .where("agent_id", "=", agentId)
    .where("deleted_at", "is", null)
    .where("current_revision", ">", 0)
    .$if(knowledgeBaseId !== undefined, (query) =>
      query.where("knowledge_base_id", "=", knowledgeBaseId ?? ""),
    )
    .$if(documentId !== undefined, (query) => query.where("id", "=", documentId ?? ""))
    .orderBy("knowledge_base_id")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    knowledgeBaseId: row.knowledge_base_id,
    revision: row.current_revision,
  }));
}

const READ_TOGETHER = 500;

/**
 * The document's pairs in order. A content that was replaced stays for half a minute: an export that took longer breaks off,
 * because a file with half of a document would be taken for the whole.
 */
export async function* pairsOf(
  db: Database,
  agentId: string,
  { id, knowledgeBaseId, revision }: DocumentToExport,
): AsyncGenerator<PairTexts> {
  for (let after = 0; ;) {
    const { rows } = await sql<PairTexts & { ordinal: number }>`
      select ordinal, question, answer, alternates, tags from qa_pair
      where knowledge_base_id = ${knowledgeBaseId} and document_id = ${id} and revision = ${revision} and ordinal > ${after}
      order by ordinal limit ${READ_TOGETHER}`.execute(db);
    for (const { ordinal: _, ...texts } of rows) yield texts;
    const last = rows.at(-1);
    if (last !== undefined && rows.length === READ_TOGETHER) {
      after = last.ordinal;
      continue;
    }
    if (await isSwept(db, agentId, id, revision))
      throw new Error(`document ${id} was replaced while it was exported`);
    return;
  }
}

async function isSwept(
  db: Database,
  agentId: string,
  documentId: string,
  revision: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("document_revision")
    .select("swept_at")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .executeTakeFirst();
  return row === undefined || row.swept_at !== null;
}

/** Bytes of the longest alternates of one pair, with their line breaks. */
export async function longestAlternates(db: Database, documents: DocumentToExport[]): Promise<number> {
  let longest = 0;
  for (const { id, knowledgeBaseId, revision } of documents) {
    const { rows } = await sql<{ bytes: number | null }>`
      select max(octet_length(array_to_string(alternates, chr(10)))) as bytes from qa_pair
      where knowledge_base_id = ${knowledgeBaseId} and document_id = ${id} and revision = ${revision}`.execute(
      db,
    );
    longest = Math.max(longest, rows[0]?.bytes ?? 0);
  }
  return longest;
}
