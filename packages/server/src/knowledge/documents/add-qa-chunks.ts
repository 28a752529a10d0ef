import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  newId,
  once,
  refuse,
  type AgentCaller,
  type Database,
  type Refusal,
} from "../../platform/index.ts";
import { addStatistics, noStatistics, writeStatistics } from "../retrieval/statistics.ts";
import { createTimeSlice } from "../retrieval/time-slice.ts";
import { lockDocuments, type FoundDocument } from "./document-store.ts";
import type { ImportParts } from "./import-ticket.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import { insertPairs, type RevisionKey } from "./pair-store.ts";
import { acceptRevision, publishRevision } from "./revision-store.ts";

export interface AddQaChunksParts extends Pick<ImportParts, "agents" | "writes" | "sealer"> {
  pairsMax: number;
}

/**
 * Appends pairs, or replaces all by them: either way the content is a new revision, so a reader sees all of the old or all
 * of the new here too.
 */
export function addQaChunks(
  { agents, writes, sealer, pairsMax }: AddQaChunksParts,
  caller: AgentCaller,
  { doc_id, chunks, replace }: InputOf<"addQaChunks">,
): Promise<Acknowledged | Refusal> {
  const { agentId } = caller;
  return writes(agentId, () =>
    agents.asAgent(agentId, (db) =>
      once(db, sealer, caller, async (db) => {
        const document = (await lockDocuments(db, agentId, [doc_id])).get(doc_id);
        if (document === undefined) return refuse("badParameter", "doc_id names no document of this agent");
        const before = replace === true ? NOTHING : await readContent(db, agentId, document);
        if (before.pairs + chunks.length > pairsMax)
          return refuse("badParameter", `a document holds at most ${pairsMax} pairs`);
        const pairs: StoredPair[] = chunks.map(({ question, answer, keywords }) => ({
          question,
          answer,
          alternates: keywords ?? [],
          origin: "row",
        }));
        await append(db, agentId, document, before, pairs);
        const detail = { pairs: chunks.length, replaced: replace === true };
        await audit(db, caller, { action: "document.append", agentId, subjectId: doc_id, detail });
        return ACKNOWLEDGED;
      }),
    ),
  );
}

interface Content {
  pairs: number;
  lastOrdinal: number;
  characters: number;
  statistics: string | null;
}

const NOTHING: Content = { pairs: 0, lastOrdinal: 0, characters: 0, statistics: null };

async function readContent(
  db: Database,
  agentId: string,
  { id, currentRevision, knowledgeBaseId }: FoundDocument,
): Promise<Content> {
  const row = await db
    .selectFrom("document_revision")
    .select(["pairs", "characters", "statistics"])
    .where("agent_id", "=", agentId)
    .where("document_id", "=", id)
    .where("revision", "=", currentRevision)
    .executeTakeFirst();
  const { last } = await db
    .selectFrom("qa_pair")
    .select(({ fn }) => fn.max<number | null>("ordinal").as("last"))
    .where("knowledge_base_id", "=", knowledgeBaseId)
    .where("document_id", "=", id)
    .where("revision", "=", currentRevision)
    .executeTakeFirstOrThrow();
  return {
    pairs: row?.pairs ?? 0,
    lastOrdinal: last ?? 0,
    characters: row?.characters ?? 0,
    statistics: row?.statistics ?? null,
  };
}

async function append(
  db: Database,
  agentId: string,
  { id: documentId, knowledgeBaseId, currentRevision }: FoundDocument,
  before: Content,
  added: StoredPair[],
): Promise<void> {
  const indexer = createPairIndexer(knowledgeBaseId);
  const indexed = await indexer.index(added);
  const key = await acceptRevision(db, {
    agentId,
    knowledgeBaseId,
    documentId,
    importId: newId(),
    position: 0,
    reading: "text",
  });
  if (before.lastOrdinal > 0) await copyRevision(db, key, currentRevision);
  await insertPairs(db, key, indexed, before.lastOrdinal);
  const statistics = noStatistics();
  const giveWay = createTimeSlice();
  await addStatistics(statistics, indexer.statistics(), giveWay);
  if (before.statistics !== null) await addStatistics(statistics, before.statistics, giveWay);
  const pairs = before.pairs + added.length;
  await publishRevision(db, key, {
    rowsRead: pairs,
    pairs,
    rejected: 0,
    duplicates: 0,
    blank: 0,
    conflicts: 0,
    characters: before.characters + indexer.characters(),
    statistics: writeStatistics(statistics),
    report: {},
  });
}

async function copyRevision(db: Database, key: RevisionKey, from: number): Promise<void> {
  const { knowledgeBaseId, documentId, revision } = key;
  await sql`
    insert into qa_pair
      (agent_id, knowledge_base_id, document_id, revision, ordinal, question, answer, terms, alternates, origin, source)
    select agent_id, knowledge_base_id, document_id, ${revision}::integer, ordinal, question, answer, terms, alternates, origin, source
    from qa_pair where knowledge_base_id = ${knowledgeBaseId} and document_id = ${documentId} and revision = ${from}`.execute(
    db,
  );
}
