import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import { lexemesOf, overlap, termsOf } from "./terms.ts";

export interface FoundPair {
  documentId: string;
  question: string;
  answer: string;
  /** Between 0 and 1. */
  score: number;
}

const CANDIDATES_MAX = 50;
/** PostgreSQL runs out of stack at some ten thousand; a message of more terms than this is like no question anyway. */
const QUERY_TERMS_MAX = 3_000;

/** The pair of one base whose question has most in common with what was asked; undefined when none has anything. */
export async function findPair(
  db: Database,
  agentId: string,
  knowledgeBaseId: string,
  asked: string,
): Promise<FoundPair | undefined> {
  const terms = termsOf(asked);
  if (terms.length === 0) return undefined;
  const anyTerm = lexemesOf(knowledgeBaseId, terms.slice(0, QUERY_TERMS_MAX)).join(" | ");
  const { rows } = await sql<{ document_id: string; question: string; answer: string }>`
    select p.document_id, p.question, p.answer
    from qa_pair p join document d on d.agent_id = p.agent_id and d.id = p.document_id and d.current_revision = p.revision
    where p.agent_id = ${agentId} and p.knowledge_base_id = ${knowledgeBaseId} and p.terms @@ ${anyTerm}::tsquery
    order by ts_rank(p.terms, ${anyTerm}::tsquery) desc, p.document_id, p.ordinal
    limit ${CANDIDATES_MAX}`.execute(db);
  let best: FoundPair | undefined;
  for (const { document_id, question, answer } of rows) {
    const score = overlap(terms, termsOf(question));
    if (best === undefined || score > best.score) best = { documentId: document_id, question, answer, score };
  }
  return best;
}

export async function knowledgeBasesOf(db: Database, agentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("knowledge_base")
    .select("id")
    .where("agent_id", "=", agentId)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}
