import { isDeepStrictEqual } from "node:util";
import type { PairVersion } from "@signalbox/contract";
import { sql } from "kysely";
import { refuse, Refusal, type Database, type OperatorCaller } from "../../platform/index.ts";
import { readContent, recordContentChange, recordTagChange } from "../documents/content-change.ts";
import { lockDocuments, type FoundDocument } from "../documents/document-store.ts";
import { createPairIndexer, type StoredPair } from "../documents/index-pairs.ts";
import { insertPairs } from "../documents/pair-store.ts";
import { lexemePrefix, tagLexemes } from "../retrieval/lexemes.ts";
import { subtractStatistics } from "../retrieval/statistics.ts";
import { noPair, type PairPlace } from "./pair-id.ts";
import { keepVersion, readVersion, type PairTexts } from "./pair-versions.ts";

type TaggedPair = StoredPair & { tags: string[] };

/** A pair whose document nobody else changes until the transaction ends. */
export interface LockedPair {
  agentId: string;
  document: FoundDocument;
  place: PairPlace;
  /** Undefined once it is deleted. */
  stored: TaggedPair | undefined;
  /** 1 while it is as it was imported. */
  version: number;
  isVersionKept: boolean;
}

/** Refuses for a pair that no reader sees, unless it was deleted by itself: that one can come back. */
export async function lockPair(
  db: Database,
  agentId: string,
  place: PairPlace,
): Promise<LockedPair | Refusal> {
  const document = await lockForEdit(db, agentId, place.documentId);
  if (document instanceof Refusal) return document;
  if (document?.currentRevision !== place.revision) return noPair();
  const stored = await readStored(db, document, place);
  const last = await readVersion(db, agentId, place);
  if (stored === undefined && last === undefined) return noPair();
  return {
    agentId,
    document,
    place,
    stored,
    version: last?.version ?? 1,
    isVersionKept: last !== undefined,
  };
}

/** An import that is under way will replace the content: an edit of it would be lost without a word. Undefined: no such document. */
export async function lockForEdit(
  db: Database,
  agentId: string,
  documentId: string,
): Promise<FoundDocument | undefined | Refusal> {
  const document = (await lockDocuments(db, agentId, [documentId])).get(documentId);
  if (document === undefined) return undefined;
  const underWay = await db
    .selectFrom("document_revision")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("state", "in", ["waiting", "working"])
    .executeTakeFirst();
  return underWay === undefined
    ? document
    : refuse("stateConflict", "an import is replacing this document; try again when it has finished");
}

async function readStored(
  db: Database,
  { knowledgeBaseId }: FoundDocument,
  { documentId, revision, ordinal }: PairPlace,
): Promise<TaggedPair | undefined> {
  const row = await db
    .selectFrom("qa_pair")
    .select(["question", "answer", "alternates", "tags", "origin", "source"])
    .where("knowledge_base_id", "=", knowledgeBaseId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .where("ordinal", "=", ordinal)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { source, ...pair } = row;
  // Safe because insertPairs and copyPairs are the only writers.
  return { ...pair, ...(source === null ? {} : { source }) } as TaggedPair;
}

/** Writes the pair's new texts, or none, in place of those it has, and keeps both versions. Readers see it from the commit on. */
export async function writePair(
  db: Database,
  caller: OperatorCaller,
  pair: LockedPair,
  change: PairVersion["change"],
  texts: PairTexts | undefined,
): Promise<void> {
  const { agentId, document, place, stored } = pair;
  const { knowledgeBaseId } = document;
  if (stored !== undefined && texts !== undefined && hasSameTexts(stored, texts)) {
    await retagPair(db, caller, pair, stored, texts.tags, change);
    await recordTagChange(db, agentId, document, caller);
    return;
  }
  const before = await readContent(db, agentId, document);
  if (!pair.isVersionKept && stored !== undefined) await keepImported(db, pair, stored);
  if (stored !== undefined)
    await sql`
      select signalbox_delete_pair(${agentId}, ${place.documentId}, ${place.revision}, ${place.ordinal})`.execute(
      db,
    );

  const [old, now] = [createPairIndexer(knowledgeBaseId), createPairIndexer(knowledgeBaseId)];
  if (stored !== undefined) await old.index([stored]);
  if (texts !== undefined) {
    // A question that somebody wrote counts as written, wherever it came from.
    const indexed = await now.index([{ ...stored, ...texts, origin: "row" }]);
    await insertPairs(db, { agentId, knowledgeBaseId, ...place }, indexed, place.ordinal - 1);
  }
  const after = {
    pairs: before.pairs + now.pairs() - old.pairs(),
    characters: before.characters + now.characters() - old.characters(),
  };
  const statistics = now.counts();
  subtractStatistics(statistics, old.counts());
  await recordContentChange(db, agentId, document, {
    change: "edit",
    by: caller,
    after,
    touched: { added: 0, edited: 1 },
    statistics,
    changedOrdinal: place.ordinal,
  });
  const version = pair.version + 1;
  const said = texts ?? stored;
  if (said !== undefined)
    await keepVersion(db, agentId, place, { ...said, knowledgeBaseId, version, change }, caller);
}

function hasSameTexts(one: PairTexts, other: PairTexts): boolean {
  return (
    one.question === other.question &&
    one.answer === other.answer &&
    isDeepStrictEqual(one.alternates, other.alternates)
  );
}

/** Word counts and vectors know nothing of tags, so the row stays. The caller records the change of the document. */
export async function retagPair(
  db: Database,
  caller: OperatorCaller,
  pair: LockedPair,
  stored: TaggedPair,
  tags: string[],
  change: PairVersion["change"] = "changed",
): Promise<void> {
  const { agentId, place } = pair;
  const { knowledgeBaseId } = pair.document;
  if (!pair.isVersionKept) await keepImported(db, pair, stored);
  const prefix = lexemePrefix(knowledgeBaseId);
  const quoted = tagLexemes(prefix, tags).map((lexeme) => `'${lexeme}'`);
  await sql`
    select signalbox_tag_pair(${agentId}, ${place.documentId}, ${place.revision}, ${place.ordinal}, ${tags}::text[],
      ${tagLexemes(prefix, stored.tags)}::text[], ${quoted.join(" ")}::tsvector)`.execute(db);
  const version = pair.version + 1;
  await keepVersion(db, agentId, place, { ...stored, tags, knowledgeBaseId, version, change }, caller);
}

/** The imported version is kept when its pair first changes: an import of a million pairs writes no versions. */
async function keepImported(
  db: Database,
  { agentId, document, place, version }: LockedPair,
  stored: TaggedPair,
): Promise<void> {
  const { created_at, finished_at } = await db
    .selectFrom("document_revision")
    .select(["created_at", "finished_at"])
    .where("agent_id", "=", agentId)
    .where("document_id", "=", document.id)
    .where("revision", "=", document.currentRevision)
    .executeTakeFirstOrThrow();
  const { knowledgeBaseId } = document;
  const imported = { ...stored, knowledgeBaseId, version, change: "imported" as const };
  await keepVersion(db, agentId, place, imported, { importedAt: finished_at ?? created_at });
}
