import type { AddQaRequest, DocumentsResult } from "@signalbox/contract";
import { sql } from "kysely";
import {
  newId,
  once,
  type Refusal,
  refuse,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type Sealer,
} from "../../platform/index.ts";
import { lexemesOf, termsOf } from "../retrieval/terms.ts";

export interface AddQaParts {
  agents: AgentDatabase;
  sealer: Sealer;
}

/** Rule 4.1.1: a QA_TEXT document is its name and its list, stored whole or not at all. */
export async function addQa(
  { agents, sealer }: AddQaParts,
  caller: AgentCaller,
  request: AddQaRequest,
): Promise<DocumentsResult | Refusal> {
  if (request.purpose !== "QA_TEXT") {
    return refuse("badParameter", `purpose ${request.purpose} is not served by this version; use QA_TEXT`);
  }
  const { knowledge_base_id, name, qaList } = request;
  return agents.asAgent(caller.agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const knowledgeBaseId = await findBase(db, caller.agentId, knowledge_base_id ?? undefined);
      if (knowledgeBaseId === undefined)
        return refuse("badParameter", "knowledge_base_id names no knowledge base of this agent");
      const documentId = newId();
      await db
        .insertInto("document")
        .values({
          id: documentId,
          agent_id: caller.agentId,
          knowledge_base_id: knowledgeBaseId,
          name,
          purpose: request.purpose,
          current_revision: 1,
        })
        .execute();
      await insertPairs(db, { agentId: caller.agentId, knowledgeBaseId, documentId, revision: 1 }, qaList);
      return { doc: [{ doc_id: documentId, doc_name: name }], failed: [] };
    }),
  );
}

async function findBase(db: Database, agentId: string, id: string | undefined): Promise<string | undefined> {
  const row = await db
    .selectFrom("knowledge_base")
    .select("id")
    .where("agent_id", "=", agentId)
    .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
    .$if(id === undefined, (query) => query.where("is_default", "=", true))
    .executeTakeFirst();
  return row?.id;
}

interface RevisionKey {
  agentId: string;
  knowledgeBaseId: string;
  documentId: string;
  revision: number;
}

async function insertPairs(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
  pairs: { question: string; answer: string }[],
): Promise<void> {
  const terms = pairs.map(({ question }) => lexemesOf(knowledgeBaseId, termsOf(question)).join(" "));
  await sql`
    insert into qa_pair (agent_id, knowledge_base_id, document_id, revision, ordinal, question, answer, terms)
    select ${agentId}::uuid, ${knowledgeBaseId}::uuid, ${documentId}::uuid, ${revision}::integer, ordinal, question, answer, terms::tsvector
    from unnest(${pairs.map(({ question }) => question)}::text[], ${pairs.map(({ answer }) => answer)}::text[], ${terms}::text[])
      with ordinality as pair(question, answer, terms, ordinal)`.execute(db);
}
