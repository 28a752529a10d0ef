import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import { questionKey } from "../intake/incoming-pair.ts";
import { taggedQuery } from "../retrieval/lexemes.ts";
import type { StoredPair } from "./index-pairs.ts";
import type { RevisionKey } from "./pair-store.ts";

interface TaggedRow {
  question: string;
  answer_hash: string;
  tags: string[];
}

/**
 * The tags that pairs have now, for a content that replaces them and says nothing of tags. A pair is the same with the same
 * question and answer; where the answer was corrected, the question is enough.
 */
export async function readKeptTags(
  db: Database,
  { agentId, knowledgeBaseId, documentId }: Omit<RevisionKey, "revision">,
): Promise<(pair: StoredPair) => string[]> {
  const { rows } = await sql<TaggedRow>`
    select p.question, encode(sha256(convert_to(p.answer, 'UTF8')), 'base64') as answer_hash, p.tags
    from document d join qa_pair p on p.document_id = d.id and p.revision = d.current_revision
    where d.agent_id = ${agentId} and d.id = ${documentId} and p.knowledge_base_id = ${knowledgeBaseId}
      and p.document_id = ${documentId} and p.terms @@ ${taggedQuery(knowledgeBaseId)}::tsquery
    order by p.ordinal`.execute(db);
  if (rows.length === 0) return () => [];
  const byPair = new Map<string, string[]>();
  const byQuestion = new Map<string, string[]>();
  for (const { question, answer_hash, tags } of rows) {
    const key = questionKey(question);
    byPair.set(`${key}\n${answer_hash}`, tags);
    if (!byQuestion.has(key)) byQuestion.set(key, tags);
  }
  return ({ question, answer }) => {
    const key = questionKey(question);
    if (!byQuestion.has(key)) return [];
    return byPair.get(`${key}\n${hash("sha256", answer, "base64")}`) ?? byQuestion.get(key) ?? [];
  };
}
