import { sql, type RawBuilder } from "kysely";
import { newId, type Database } from "../../platform/index.ts";

export type Purpose = "QA_TEXT" | "QA_FILE" | "FILE_2_QA";

/** The base an agent's caller named, or the agent's default one. */
export async function findBase(
  db: Database,
  agentId: string,
  id: string | undefined,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("knowledge_base")
    .select("id")
    .where("agent_id", "=", agentId)
    .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
    .$if(id === undefined, (query) => query.where("is_default", "=", true))
    .executeTakeFirst();
  return row?.id;
}

/** A document lies in one base, whatever else was named. */
export async function baseOf(
  db: Database,
  agentId: string,
  baseId: string | undefined,
  documentId: string | undefined,
): Promise<string | undefined> {
  if (documentId === undefined) return findBase(db, agentId, baseId);
  const row = await db
    .selectFrom("document")
    .select("knowledge_base_id")
    .where("agent_id", "=", agentId)
    .where("id", "=", documentId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.knowledge_base_id;
}

export interface DocumentToInsert {
  agentId: string;
  knowledgeBaseId: string;
  name: string;
  purpose: Purpose;
}

/** A document has no content until a revision of it is published. */
export async function insertDocument(
  db: Database,
  { agentId, knowledgeBaseId, name, purpose }: DocumentToInsert,
): Promise<string> {
  const id = newId();
  await db
    .insertInto("document")
    .values({ id, agent_id: agentId, knowledge_base_id: knowledgeBaseId, name, purpose })
    .execute();
  return id;
}

/** The number of a document's last update that readers see: the one that replaced its content, or an append to that. */
export function latestRevisionOf(alias: string): RawBuilder<number> {
  return sql`greatest(${sql.ref(`${alias}.current_revision`)}, ${sql.ref(`${alias}.extended_revision`)})`;
}

export interface FoundDocument {
  id: string;
  name: string;
  purpose: Purpose;
  knowledgeBaseId: string;
  /** Under which its pairs are stored; 0 while it has none. */
  currentRevision: number;
  latestRevision: number;
}

/** Locked, so that changes of one document come one after the other. Ids that are no UUIDs are nobody's. */
export async function lockDocuments(
  db: Database,
  agentId: string,
  ids: string[],
): Promise<Map<string, FoundDocument>> {
  const possible = ids.filter((id) => UUID.test(id));
  if (possible.length === 0) return new Map();
  const rows = await db
    .selectFrom("document")
    .select(["id", "name", "purpose", "knowledge_base_id", "current_revision", "extended_revision"])
    .where("agent_id", "=", agentId)
    .where("id", "in", possible)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        name: row.name,
        purpose: row.purpose as Purpose,
        knowledgeBaseId: row.knowledge_base_id,
        currentRevision: row.current_revision,
        latestRevision: Math.max(row.current_revision, row.extended_revision),
      },
    ]),
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
