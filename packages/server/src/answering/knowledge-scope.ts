import { sql } from "kysely";
import { refuse, type Database, type Refusal } from "../platform/index.ts";

/** Nothing but these documents, and all that is in these knowledge bases. */
export interface KnowledgeScope {
  knowledgeBaseIds: string[];
  documentIds: string[];
}

/** An id that was mistaken would find nothing, and look like an agent that knows nothing. */
export async function refuseUnknownKnowledge(
  db: Database,
  agentId: string,
  { knowledgeBaseIds, documentIds }: KnowledgeScope,
): Promise<Refusal | undefined> {
  const bases = await db
    .selectFrom("knowledge_base")
    .select("id")
    .where("agent_id", "=", agentId)
    .where(sql<boolean>`id = any(${knowledgeBaseIds}::uuid[])`)
    .execute();
  const unknownBase = missingFrom(bases, knowledgeBaseIds);
  if (unknownBase !== undefined)
    return refuse(
      "badParameter",
      `group_ids names ${unknownBase}, which is not a knowledge base of this agent; list them with GET /v1/bot/knowledge/base/page`,
    );
  const documents = await db
    .selectFrom("document")
    .select("id")
    .where("agent_id", "=", agentId)
    .where(sql<boolean>`id = any(${documentIds}::uuid[])`)
    .where("deleted_at", "is", null)
    .execute();
  const unknownDocument = missingFrom(documents, documentIds);
  return unknownDocument === undefined
    ? undefined
    : refuse(
        "badParameter",
        `data_ids names ${unknownDocument}, which is not a document of this agent; list them with GET /v1/bot/doc/query/page`,
      );
}

function missingFrom(rows: { id: string }[], ids: string[]): string | undefined {
  const known = new Set(rows.map(({ id }) => id));
  return ids.find((id) => !known.has(id));
}
