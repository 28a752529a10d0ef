import { once } from "node:events";
import type { Writable } from "node:stream";
import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { IndexedPair } from "./index-pairs.ts";

export interface RevisionKey {
  agentId: string;
  knowledgeBaseId: string;
  documentId: string;
  revision: number;
}

const BATCH_PAIRS = 1_000;

/** Adds pairs to a revision; ordinals begin after `after`. */
export async function insertPairs(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
  pairs: IndexedPair[],
  after = 0,
): Promise<void> {
  for (let from = 0; from < pairs.length; from += BATCH_PAIRS) {
    const batch = pairs.slice(from, from + BATCH_PAIRS);
    await sql`
      insert into qa_pair
        (agent_id, knowledge_base_id, document_id, revision, ordinal, question, answer, terms, alternates, tags, origin, source)
      select ${agentId}::uuid, ${knowledgeBaseId}::uuid, ${documentId}::uuid, ${revision}::integer, ${after + from}::integer + place,
        question, answer, terms::tsvector, array(select jsonb_array_elements_text(alternates::jsonb)),
        array(select jsonb_array_elements_text(tags::jsonb)), origin, source::jsonb
      from unnest(
        ${batch.map(({ question }) => question)}::text[], ${batch.map(({ answer }) => answer)}::text[],
        ${batch.map(({ lexemes }) => lexemes)}::text[],
        ${batch.map(({ alternates }) => JSON.stringify(alternates))}::text[],
        ${batch.map(({ tags }) => JSON.stringify(tags))}::text[], ${batch.map(({ origin }) => origin)}::text[],
        ${batch.map(({ source }) => (source === undefined ? null : JSON.stringify(source)))}::text[]
      ) with ordinality as pair(question, answer, terms, alternates, tags, origin, source, place)`.execute(
      db,
    );
  }
}

/** 0 where there was never a pair. The place of a deleted pair stays its own: it may be restored. */
export async function lastOrdinal(
  db: Database,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select greatest(
      (select ordinal from qa_pair where knowledge_base_id = ${knowledgeBaseId} and document_id = ${documentId}
        and revision = ${revision} order by ordinal desc limit 1),
      (select ordinal from qa_pair_version where agent_id = ${agentId} and document_id = ${documentId}
        and revision = ${revision} order by ordinal desc limit 1),
      0) as last`.execute(db);
  return rows[0]?.last ?? 0;
}

/** COPY does not work under row-level security, so it goes to the partition, which the work role may write. */
export async function copyPairsStatement(db: Database, knowledgeBaseId: string): Promise<string> {
  const { rows } = await sql<{ partition: string }>`
    select signalbox_partition_of('qa_pair', ${knowledgeBaseId}::uuid)::text as partition`.execute(db);
  const partition = rows[0]?.partition;
  if (partition === undefined) throw new Error("a knowledge base without a partition");
  return `copy ${partition} (agent_id, knowledge_base_id, document_id, revision, ordinal, question, answer, terms, alternates, tags, origin, source) from stdin`;
}

/** Writes pairs into an open COPY, as fast as PostgreSQL takes them. */
export async function copyPairs(
  copy: Writable,
  { agentId, knowledgeBaseId, documentId, revision }: RevisionKey,
  pairs: IndexedPair[],
  after: number,
): Promise<void> {
  const key = `${agentId}\t${knowledgeBaseId}\t${documentId}\t${revision}\t`;
  let lines = "";
  for (const [index, pair] of pairs.entries()) {
    const source = pair.source === undefined ? "\\N" : escaped(JSON.stringify(pair.source));
    lines += `${key}${after + index + 1}\t${escaped(pair.question)}\t${escaped(pair.answer)}\t${pair.lexemes}\t${escaped(arrayOf(pair.alternates))}\t${escaped(arrayOf(pair.tags))}\t${pair.origin}\t${source}\n`;
  }
  if (lines !== "" && !copy.write(lines)) await once(copy, "drain");
}

const NEEDS_ESCAPE = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escaped(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character]!) : text;
}

function arrayOf(texts: string[]): string {
  if (texts.length === 0) return "{}";
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`;
}
