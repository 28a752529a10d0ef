import type { DocumentDetail, DocumentDetails, DocumentImport, InputOf } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import {
  refuse,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type Refusal,
} from "../../platform/index.ts";
import { latestRevisionOf } from "./document-store.ts";
import { statusOf } from "./list-documents.ts";
import { stateOf } from "./list-revisions.ts";
import { describeOutcome, type RevisionOutcomeRow } from "./revision-outcome.ts";

interface DetailRow extends RevisionOutcomeRow {
  document_id: string;
  name: string;
  knowledge_base_id: string;
  current_revision: number;
  current_pairs: number | null;
  last_state: string;
  source_url: string | null;
  chunks_failed: number;
  unsupported: number;
  prompt_tokens: number;
  completion_tokens: number;
  vectors: number | null;
}

/** What `failed` in 4.1 and 4.2 has no room for: why, where in the file, and how far the others are. */
export function getDocumentDetails(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { data_ids, import_id }: InputOf<"getDocumentDetails">,
): Promise<DocumentDetails | Refusal> {
  if (data_ids === undefined && import_id === undefined)
    return Promise.resolve(refuse("badParameter", "data_ids or import_id is required"));
  return agents.asAgent(agentId, async (db) => {
    const rows = await readDetails(db, agentId, data_ids, import_id);
    return rows.map(describe);
  });
}

async function readDetails(
  db: Database,
  agentId: string,
  documentIds: string[] | undefined,
  importId: string | undefined,
): Promise<DetailRow[]> {
  const chosen = documentIds === undefined ? sql`` : sql`and d.id = any(${documentIds}::uuid[])`;
  const shown = importId === undefined ? sql`r.revision = i.revision` : sql`r.import_id = ${importId}`;
  const { rows } = await sql<DetailRow>`
    select d.id as document_id, d.name, d.knowledge_base_id, d.current_revision, e.pairs as current_pairs, l.state as last_state,
      r.import_id, ${importState()} as state, r.file_name, r.source_url, r.rows_read, r.pairs, r.rejected, r.duplicates, r.blank, r.conflicts,
      r.chunks_total, r.chunks_done, r.chunks_failed, r.unsupported, r.prompt_tokens, r.completion_tokens, r.report,
      r.created_at, r.finished_at, c.vectors
    from document d
      ${lastImport()}
      join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id and ${shown}
      join document_revision l on l.agent_id = d.agent_id and l.document_id = d.id and l.revision = d.last_revision
      left join document_revision e on e.agent_id = d.agent_id and e.document_id = d.id and e.revision = ${latestRevisionOf("d")}
      left join document_revision c on c.agent_id = d.agent_id and c.document_id = d.id and c.revision = d.current_revision
    where d.agent_id = ${agentId} and d.deleted_at is null ${chosen}
    order by r.position, d.id`.execute(db);
  return rows;
}

/** An edit of one pair is no import: the one before it is still the last. */
function lastImport(): RawBuilder<unknown> {
  return sql`join lateral (
    select i.revision from document_revision i where i.agent_id = d.agent_id and i.document_id = d.id and i.change <> 'edit'
    order by i.revision desc limit 1) i on true`;
}

/** A revision that was edited since is still current. */
function importState(): RawBuilder<unknown> {
  return sql`case when r.revision = i.revision and r.revision >= d.current_revision
    and r.state in ('current', 'appended', 'superseded') then 'current' else ${stateOf()} end`;
}

function describe(row: DetailRow): DocumentDetail {
  return {
    data_id: row.document_id,
    data_status: statusOf(row),
    doc_name: row.name,
    knowledge_base_id: row.knowledge_base_id,
    pairs: row.current_pairs ?? 0,
    pairs_with_vectors: row.vectors,
    last_import: describeImport(row),
  };
}

function describeImport(row: DetailRow): DocumentImport {
  const { report } = row;
  return {
    ...describeOutcome(row),
    source_url: row.source_url,
    encoding: report.encoding ?? null,
    delimiter: report.delimiter ?? null,
    header_rows: report.headerRows ?? null,
    ignored_columns: report.ignoredColumns ?? null,
    chunks_failed: row.chunks_failed,
    unsupported: row.unsupported,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
  };
}
