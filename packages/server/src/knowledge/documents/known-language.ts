import { sql } from "kysely";
import type { Database, EmbeddingModel } from "../../platform/index.ts";
import type { Encoder } from "../encoder/encoder.ts";
import type { RevisionKey } from "./pair-store.ts";

/** Questions of the content itself, and as many from the rest of the base: one pair says little about a language. */
const QUESTIONS_LOOKED_AT = 100;

/**
 * The built-in encoder was made for one language. In a base of another its vectors would mislead: none are made, and words find the
 * pairs. A model of the agent's own knows what it knows.
 */
export async function withinItsLanguage(
  db: Database,
  model: EmbeddingModel,
  encoder: Encoder | undefined,
  key: RevisionKey,
): Promise<EmbeddingModel> {
  if (encoder === undefined || model.model !== encoder.model) return model;
  if (encoder.knowsLanguageOf(await sampleQuestions(db, key))) return model;
  return {
    model: model.model,
    embed: async (texts) => ({ kind: "embedded", vectors: texts.map(() => []), tokens: 0 }),
  };
}

async function sampleQuestions(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
): Promise<string[]> {
  const { rows } = await sql<{ question: string }>`
    (select question from qa_pair
      where agent_id = ${agentId} and knowledge_base_id = ${knowledgeBaseId} and document_id = ${documentId}
        and revision = ${revision} limit ${QUESTIONS_LOOKED_AT})
    union all
    (select p.question from document d join qa_pair p on p.document_id = d.id and p.revision = d.current_revision
      where d.agent_id = ${agentId} and d.knowledge_base_id = ${knowledgeBaseId} and d.id <> ${documentId}
        and d.deleted_at is null and p.agent_id = ${agentId} and p.knowledge_base_id = ${knowledgeBaseId}
      limit ${QUESTIONS_LOOKED_AT})`.execute(db);
  return rows.map(({ question }) => question);
}
