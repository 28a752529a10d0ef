import type { DocumentPage, DocumentStatus, InputOf, KnowledgeDocumentPage } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { pageOfRows, pageStart } from "../../agents/index.ts";
import {
  Refusal,
  refuse,
  type AgentCaller,
  type AgentDatabase,
  type Database,
} from "../../platform/index.ts";
import { findBase, latestRevisionOf, type Purpose } from "./document-store.ts";
import { estimatedTokens } from "./knowledge-bases.ts";

interface DocumentRow {
  id: string;
  name: string;
  purpose: Purpose;
  current_revision: number;
  created_at: Date;
  updated_at: Date;
  pairs: number | null;
  characters: number | null;
  source_url: string | null;
  last_state: string;
}

/** What a reader of the document has, and what is being done about it. */
export function statusOf({
  current_revision,
  last_state,
}: Pick<DocumentRow, "current_revision" | "last_state">): DocumentStatus {
  const isUnderWay = last_state === "waiting" || last_state === "working";
  if (current_revision > 0) return isUnderWay ? "REPLACING" : "AVAILABLE";
  if (last_state === "waiting") return "PENDING";
  return last_state === "working" ? "PROCESSING" : "FAILED";
}

export function listDocuments(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { knowledge_base_id, page, page_size }: InputOf<"listDocuments">,
): Promise<DocumentPage | Refusal> {
  return agents.asAgent(agentId, async (db) => {
    const baseId = await findBase(db, agentId, knowledge_base_id ?? undefined);
    if (baseId === undefined)
      return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
    const { rows } = await sql<DocumentRow>`
      ${documentsOf(agentId, baseId)}
      order by d.id desc limit ${page_size} offset ${(page - 1) * page_size}`.execute(db);
    const { total } = await db
      .selectFrom("document")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("agent_id", "=", agentId)
      .where("knowledge_base_id", "=", baseId)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow();
    return { list: rows.map(describe), total };
  });
}

/** Of `document d`: what readers have of each, and what was done about it last. */
function documentsOf(agentId: string, baseId: string): RawBuilder<unknown> {
  return sql`
    select d.id, d.name, d.purpose, d.current_revision, d.created_at, d.updated_at, c.pairs, c.characters,
      coalesce(c.source_url, l.source_url) as source_url, l.state as last_state
    from document d
      left join document_revision c on c.agent_id = d.agent_id and c.document_id = d.id and c.revision = ${latestRevisionOf("d")}
      left join document_revision l on l.agent_id = d.agent_id and l.document_id = d.id and l.revision = d.last_revision
    where d.agent_id = ${agentId} and d.knowledge_base_id = ${baseId} and d.deleted_at is null`;
}

/** For operators, who see every agent's. */
export async function listAgentDocuments(
  { db }: { db: Database },
  { agent_id, knowledge_base_id, cursor, limit }: InputOf<"listAgentDocuments">,
): Promise<KnowledgeDocumentPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const baseId = await findBase(db, agent_id, knowledge_base_id ?? undefined);
  if (baseId === undefined)
    return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
  const { rows } = await sql<DocumentRow>`
    ${documentsOf(agent_id, baseId)} and d.id < ${start} order by d.id desc limit ${limit + 1}`.execute(db);
  return pageOfRows(rows, limit, (row) => ({
    doc_id: row.id,
    doc_name: row.name,
    knowledge_base_id: baseId,
    status: statusOf(row),
    pairs: row.pairs ?? 0,
    create_time: row.created_at.getTime(),
    update_time: row.updated_at.getTime(),
  }));
}

function describe(row: DocumentRow): DocumentPage["list"][number] {
  return {
    id: row.id,
    name: row.name,
    format: row.purpose,
    source_url: row.source_url,
    status: statusOf(row),
    chunk: row.pairs ?? 0,
    token: estimatedTokens(row.characters ?? 0),
    char_count: row.characters ?? 0,
    create_time: row.created_at.getTime(),
    update_time: row.updated_at.getTime(),
    creator_id: null,
    creator_email: null,
  };
}
