import { sql } from "kysely";
import {
  authorColumns,
  newId,
  type AgentCaller,
  type Database,
  type OperatorCaller,
} from "../../platform/index.ts";
import type { Columns } from "../intake/index.ts";
import type { FileFailure, FileProblem, RefusedRow } from "../intake/outcome.ts";
import { TERMS_VERSION } from "../retrieval/terms.ts";
import type { PairIndexer } from "./index-pairs.ts";
import { latestRevisionOf } from "./document-store.ts";
import type { RevisionKey } from "./pair-store.ts";

/** How a revision's pairs come about; `by_type` is decided by the file. */
export type Reading = "text" | "pairs" | "convert" | "by_type" | "restore";

export interface RevisionToAccept {
  agentId: string;
  knowledgeBaseId: string;
  documentId: string;
  importId: string;
  position: number;
  reading: Reading;
  /** Undefined where nobody in particular brings it. */
  by?: RevisionAuthor | undefined;
  file?: { name: string; url?: string; uploadId?: string };
  headerRow?: number | undefined;
  chunkToken?: number | undefined;
  splitter?: string | undefined;
  columns?: Columns | undefined;
  /** Whose pairs come back. */
  restored?: number;
}

export type RevisionAuthor = OperatorCaller | AgentCaller;

export interface AcceptedRevision extends RevisionKey {
  ingestId: string;
}

/** Takes the document's next number. Numbers say in which order updates were accepted, and so which one stays. */
export async function acceptRevision(db: Database, wanted: RevisionToAccept): Promise<AcceptedRevision> {
  const { agentId, documentId, knowledgeBaseId, importId, position, reading, file } = wanted;
  const ingestId = newId();
  const { last_revision: revision } = await db
    .updateTable("document")
    .set({ last_revision: sql`last_revision + 1` })
    .where("agent_id", "=", agentId)
    .where("id", "=", documentId)
    .returning("last_revision")
    .executeTakeFirstOrThrow();
  await db
    .insertInto("document_revision")
    .values({
      agent_id: agentId,
      document_id: documentId,
      revision,
      id: ingestId,
      knowledge_base_id: knowledgeBaseId,
      import_id: importId,
      position,
      reading,
      state: "waiting",
      file_name: file?.name ?? null,
      source_url: file?.url ?? null,
      upload_id: file?.uploadId ?? null,
      header_row: wanted.headerRow ?? null,
      chunk_token: wanted.chunkToken ?? null,
      splitter: wanted.splitter ?? null,
      columns: wanted.columns === undefined ? null : JSON.stringify(wanted.columns),
      restored_revision: wanted.restored ?? null,
      change: reading === "restore" ? "restore" : "import",
      terms_version: TERMS_VERSION,
      ...(wanted.by === undefined ? {} : authorColumns(wanted.by)),
    })
    .execute();
  return { agentId, knowledgeBaseId, documentId, revision, ingestId };
}

/** The facts of a file once it is read. */
export interface RevisionReport {
  encoding?: string;
  delimiter?: string;
  headerRows?: number;
  ignoredColumns?: number;
  problems?: FileProblem[];
  cause?: string;
  detail?: string;
  line?: number;
}

export interface RevisionContent {
  rowsRead: number;
  pairs: number;
  rejected: number;
  duplicates: number;
  blank: number;
  conflicts: number;
  characters: number;
  statistics: string;
  report: RevisionReport;
  refused?: RefusedRow[];
}

/** For pairs that come from no file: each that was indexed is stored. */
export function contentOf(indexer: PairIndexer): RevisionContent {
  const pairs = indexer.pairs();
  return {
    rowsRead: pairs,
    pairs,
    rejected: 0,
    duplicates: 0,
    blank: 0,
    conflicts: 0,
    characters: indexer.characters(),
    statistics: indexer.statistics(),
    report: {},
  };
}

export type Published = "current" | "superseded";

/**
 * Readers see this revision from the commit on, whole. An update that was accepted later and is already there stays: then
 * this one came and went in between. Call it in the transaction that wrote the pairs.
 */
export async function publishRevision(
  db: Database,
  key: RevisionKey,
  content: RevisionContent,
): Promise<Published> {
  const { agentId, knowledgeBaseId, documentId, revision } = key;
  const moved = await db
    .updateTable("document")
    .set({ current_revision: revision, updated_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "=", documentId)
    .where(latestRevisionOf("document"), "<", revision)
    .where("deleted_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  const published: Published = moved === undefined ? "superseded" : "current";
  let vectors: number | null = null;
  if (published === "current") {
    vectors = await keepVectors(db, key);
    await db
      .updateTable("document_revision")
      .set({ state: "superseded", finished_at: sql`now()` })
      .where("agent_id", "=", agentId)
      .where("knowledge_base_id", "=", knowledgeBaseId)
      .where("document_id", "=", documentId)
      .where(sql<boolean>`state in ('current', 'appended') or (state = 'held' and revision < ${revision})`)
      .execute();
  }
  await updateContent(db, key, published, content, { vectors });
  if (published === "current") await raiseBaseVersion(db, agentId, knowledgeBaseId);
  return published;
}

/** Its pairs are stored, and readers go on with what they have until somebody publishes it. */
export async function storeHeld(
  db: Database,
  key: RevisionKey,
  content: RevisionContent,
  why: Required<Pick<RevisionReport, "cause" | "detail">>,
): Promise<void> {
  await updateContent(db, key, "held", { ...content, report: { ...content.report, ...why } }, {});
}

async function updateContent(
  db: Database,
  { agentId, documentId, revision }: RevisionKey,
  state: Published | "held",
  content: RevisionContent,
  vectors: { vectors?: number | null },
): Promise<void> {
  await db
    .updateTable("document_revision")
    .set({
      state,
      rows_read: content.rowsRead,
      pairs: content.pairs,
      rejected: content.rejected,
      duplicates: content.duplicates,
      blank: content.blank,
      conflicts: content.conflicts,
      characters: content.characters,
      statistics: content.statistics,
      report: JSON.stringify(content.report),
      refused_rows: refusedColumn(content.refused),
      ...vectors,
      finished_at: sql`now()`,
    })
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .execute();
}

/** From the revision that is still current in its own row; null when it had none. */
export async function keepVectors(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
): Promise<number | null> {
  const { rows } = await sql<{ kept: number }>`
    select signalbox_keep_vectors(${knowledgeBaseId}, ${documentId}, r.revision, ${revision}) as kept
    from document_revision r where r.agent_id = ${agentId} and r.document_id = ${documentId} and r.state = 'current'`.execute(
    db,
  );
  return rows[0]?.kept || null;
}

export async function raiseBaseVersion(
  db: Database,
  agentId: string,
  knowledgeBaseId: string,
): Promise<void> {
  await db
    .updateTable("knowledge_base")
    .set({ version: sql`version + 1` })
    .where("agent_id", "=", agentId)
    .where("id", "=", knowledgeBaseId)
    .execute();
}

function refusedColumn(refused: RefusedRow[] | undefined): string | null {
  return refused === undefined || refused.length === 0 ? null : JSON.stringify(refused);
}

/** An import that failed changes nothing but its own row. */
export async function failRevision(
  db: Database,
  agentId: string,
  ingestId: string,
  { cause, detail, line, problems, refused }: Omit<FileFailure, "kind">,
): Promise<void> {
  const report: RevisionReport = {
    cause,
    detail,
    ...(line === undefined ? {} : { line }),
    ...(problems === undefined ? {} : { problems }),
  };
  await db
    .updateTable("document_revision")
    .set({
      state: "failed",
      finished_at: sql`now()`,
      report: JSON.stringify(report),
      refused_rows: refusedColumn(refused),
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", ingestId)
    .where("state", "in", ["waiting", "working"])
    .execute();
}
