import { hash } from "node:crypto";
import type { UploadPreview, UploadReading } from "@signalbox/contract";
import { sql } from "kysely";
import { createTimeSlice, type Database } from "../../platform/index.ts";
import { findBase } from "../documents/document-store.ts";
import { questionKey, type IncomingPair } from "../intake/index.ts";
import { writePairId } from "../pairs/pair-id.ts";

type Existing = UploadPreview["existing"];

const PAGE_PAIRS = 2_000;
const EXAMPLES_MAX = 20;
const ANSWER_SHOWN_CHARACTERS = 500;

interface StoredRow {
  document_id: string;
  revision: number;
  ordinal: number;
  question: string;
  answer: string;
  answer_hash: string;
}

/** Which of these pairs the knowledge base has already, and to which questions it gives another answer. */
export async function compareWithBase(
  db: Database,
  agentId: string,
  { knowledge_base_id, doc_id }: UploadReading,
  pairs: IncomingPair[],
): Promise<Existing> {
  const found: Existing = { same: 0, contradictions: 0, examples: [] };
  const baseId = await findBase(db, agentId, knowledge_base_id ?? undefined);
  if (baseId === undefined || pairs.length === 0) return found;
  const incoming = Map.groupBy(pairs, ({ question }) => questionKey(question));
  const stored = new Map<string, StoredQuestion>();
  const giveWay = createTimeSlice();
  for await (const row of storedPairs(db, agentId, baseId, doc_id ?? undefined)) {
    await giveWay();
    const key = questionKey(row.question);
    if (!incoming.has(key)) continue;
    const known = stored.get(key);
    if (known === undefined) stored.set(key, { first: row, answers: new Set([row.answer_hash]) });
    else known.answers.add(row.answer_hash);
  }
  for (const [key, { first, answers }] of stored)
    for (const pair of incoming.get(key) ?? []) {
      if (answers.has(hash("md5", pair.answer))) {
        found.same += 1;
        continue;
      }
      found.contradictions += 1;
      if (found.examples.length < EXAMPLES_MAX) found.examples.push(example(pair, first));
    }
  return found;
}

/** One question that the file asks, too; a base may answer it more than once. */
interface StoredQuestion {
  first: StoredRow;
  answers: Set<string>;
}

function example(pair: IncomingPair, stored: StoredRow): Existing["examples"][number] {
  const { document_id: documentId, revision, ordinal } = stored;
  return {
    line: pair.source?.line ?? null,
    question: pair.question,
    answer: pair.answer.slice(0, ANSWER_SHOWN_CHARACTERS),
    pair_id: writePairId({ documentId, revision, ordinal }),
    existing_answer: stored.answer,
  };
}

/** Page by page, by the key of pairs, so that a large base is never held at once. */
async function* storedPairs(
  db: Database,
  agentId: string,
  baseId: string,
  without: string | undefined,
): AsyncGenerator<StoredRow> {
  const documents = await db
    .selectFrom("document")
    .select(["id", "current_revision"])
    .where("agent_id", "=", agentId)
    .where("knowledge_base_id", "=", baseId)
    .where("deleted_at", "is", null)
    .where("current_revision", ">", 0)
    .orderBy("id")
    .execute();
  for (const { id, current_revision } of documents) {
    if (id === without) continue;
    let after = 0;
    for (;;) {
      const { rows } = await sql<StoredRow>`
        select document_id, revision, ordinal, question, left(answer, ${ANSWER_SHOWN_CHARACTERS}) as answer, md5(answer) as answer_hash
        from qa_pair
        where knowledge_base_id = ${baseId} and document_id = ${id} and revision = ${current_revision} and ordinal > ${after}
        order by ordinal limit ${PAGE_PAIRS}`.execute(db);
      yield* rows;
      if (rows.length < PAGE_PAIRS) break;
      after = rows.at(-1)?.ordinal ?? after;
    }
  }
}
