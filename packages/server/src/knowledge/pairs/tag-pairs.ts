import { isDeepStrictEqual } from "node:util";
import {
  normalTags,
  TAGS_MAX,
  type InputOf,
  type PairTagList,
  type TagPairsReply,
} from "@signalbox/contract";
import { sql } from "kysely";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { audit, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import { recordTagChange } from "../documents/content-change.ts";
import { baseOf, lockDocuments, type FoundDocument } from "../documents/document-store.ts";
import { taggedQuery } from "../retrieval/lexemes.ts";
import { readPairId } from "./pair-id.ts";
import { lockPair, retagPair, type LockedPair } from "./write-pair.ts";

/** All of them or none, and one entry in the history of each document. Pairs that are gone are named, not refused. */
export function tagPairs(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id: agentId, pair_ids, add, remove }: InputOf<"tagPairs">,
): Promise<TagPairsReply | Refusal> {
  const ids = [...new Set(pair_ids)];
  const [added, removed] = [normalTags(add ?? []), new Set(normalTags(remove ?? []))];
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    // In the order of their ids, so that two callers never wait for each other.
    await lockDocuments(db, agentId, [...new Set(ids.map((id) => readPairId(id).documentId))]);
    const reply: TagPairsReply = { changed: [], missing: [] };
    const documents = new Map<string, { document: FoundDocument; pairs: number }>();
    for (const id of ids) {
      const pair = await lockPair(db, agentId, readPairId(id));
      if (pair instanceof Refusal && pair.failure !== "notFound") return pair;
      if (pair instanceof Refusal || pair.stored === undefined) {
        reply.missing.push(id);
        continue;
      }
      const tags = normalTags([...pair.stored.tags.filter((tag) => !removed.has(tag)), ...added]);
      if (tags.length > TAGS_MAX) return tooMany(pair);
      if (isDeepStrictEqual(tags, pair.stored.tags)) continue;
      await retagPair(db, caller, pair, pair.stored, tags);
      reply.changed.push(id);
      const { document } = pair;
      documents.set(document.id, { document, pairs: (documents.get(document.id)?.pairs ?? 0) + 1 });
    }
    for (const { document, pairs } of documents.values()) {
      await recordTagChange(db, agentId, document, caller);
      const detail = { pairs, added, removed: [...removed] };
      await audit(db, caller, { action: "pair.tag", agentId, subjectId: document.id, detail });
    }
    return reply;
  });
}

function tooMany({ stored }: LockedPair): Refusal {
  return refuse("badParameter", `a pair has at most ${TAGS_MAX} tags: ${stored?.question ?? ""}`);
}

const LISTED_MAX = 200;

/** Found by the index: pairs without a tag are not read. */
export async function listPairTags(
  { db }: { db: Database },
  { agent_id: agentId, knowledge_base_id, doc_id }: InputOf<"listPairTags">,
): Promise<PairTagList | Refusal> {
  const documentId = doc_id ?? undefined;
  const baseId = await baseOf(db, agentId, knowledge_base_id ?? undefined, documentId);
  if (baseId === undefined)
    return refuse("badParameter", "doc_id or knowledge_base_id is unknown to this agent");
  const { rows } = await sql<PairTagList["list"][number]>`
    select t.tag, count(*)::integer as pairs
    from qa_pair p
      join document d on d.id = p.document_id and d.current_revision = p.revision
      cross join lateral unnest(p.tags) as t(tag)
    where p.agent_id = ${agentId} and p.knowledge_base_id = ${baseId} and p.terms @@ ${taggedQuery(baseId)}::tsquery
      and d.agent_id = ${agentId} and d.deleted_at is null ${documentId === undefined ? sql`` : sql`and d.id = ${documentId}`}
    group by t.tag order by pairs desc, t.tag limit ${LISTED_MAX}`.execute(db);
  return { list: rows };
}
