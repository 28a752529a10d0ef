import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { Columns } from "../intake/index.ts";
import type { RevisionKey } from "./pair-store.ts";
import type { Reading } from "./revision-store.ts";

/** A revision that is being worked on, as it was accepted. */
export interface ClaimedRevision extends RevisionKey {
  ingestId: string;
  reading: Exclude<Reading, "text">;
  fileName: string;
  /** Where its pairs come from: a file that is fetched or was uploaded, or a revision that was replaced. */
  source: { url: string } | { uploadId: string } | { restored: number };
  headerRow: number | undefined;
  chunkToken: number | undefined;
  splitter: string | undefined;
  columns: Columns | undefined;
  /** Calls that began and did not end, this one included. */
  attempts: number;
  /** Its text is in chunks already. */
  isExtracted: boolean;
}

interface ClaimedRow {
  document_id: string;
  knowledge_base_id: string;
  revision: number;
  reading: ClaimedRevision["reading"];
  file_name: string | null;
  source_url: string | null;
  upload_id: string | null;
  restored_revision: number | null;
  header_row: number | null;
  chunk_token: number | null;
  splitter: string | null;
  columns: Columns | null;
  attempts: number;
  is_extracted: boolean;
}

/** Undefined when there is nothing left to do: it has ended, or its document was deleted. */
export async function claimRevision(
  db: Database,
  agentId: string,
  ingestId: string,
): Promise<ClaimedRevision | undefined> {
  const { rows } = await sql<ClaimedRow>`
    update document_revision r set state = 'working', attempts = attempts + 1, beat_at = now()
    where r.agent_id = ${agentId} and r.id = ${ingestId} and r.state in ('waiting', 'working')
      and exists (select from document d where d.agent_id = r.agent_id and d.id = r.document_id and d.deleted_at is null)
    returning r.document_id, r.knowledge_base_id, r.revision, r.reading, r.file_name, r.source_url, r.upload_id, r.restored_revision, r.header_row,
      r.chunk_token, r.splitter, r.columns, r.attempts,
      exists (select from ingest_chunk c where c.agent_id = r.agent_id and c.ingest_id = r.id) as is_extracted`.execute(
    db,
  );
  const row = rows[0];
  const source = row === undefined ? undefined : sourceOf(row);
  if (row === undefined || source === undefined) return undefined;
  return {
    agentId,
    ingestId,
    documentId: row.document_id,
    knowledgeBaseId: row.knowledge_base_id,
    revision: row.revision,
    reading: row.reading,
    fileName: row.file_name ?? "",
    source,
    headerRow: row.header_row ?? undefined,
    chunkToken: row.chunk_token ?? undefined,
    splitter: row.splitter ?? undefined,
    columns: row.columns ?? undefined,
    attempts: row.attempts,
    isExtracted: row.is_extracted,
  };
}

function sourceOf({
  source_url,
  upload_id,
  restored_revision,
}: ClaimedRow): ClaimedRevision["source"] | undefined {
  if (restored_revision !== null) return { restored: restored_revision };
  if (upload_id !== null) return { uploadId: upload_id };
  return source_url === null ? undefined : { url: source_url };
}

/** This call came to an end, whatever it found: it is no attempt that failed. */
export async function endCall(db: Database, agentId: string, ingestId: string): Promise<void> {
  await db
    .updateTable("document_revision")
    .set({ attempts: 0, beat_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .execute();
}

/** Waits for nobody: a revision held by another call, or ended meanwhile, is not this call's to write. */
export async function holdRevision(
  db: Database,
  { agentId, ingestId }: { agentId: string; ingestId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from document_revision where agent_id = ${agentId} and id = ${ingestId} and state = 'working'
    for update skip locked`.execute(db);
  return rows.length === 1;
}
