import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import type { IngestParts, StepOutcome } from "./ingest-parts.ts";
import { holdRevision, type ClaimedRevision } from "./ingest-store.ts";
import { openPairCopy } from "./pair-copy.ts";
import { publishUnlessHeld } from "./publication-gate.ts";
import { contentOf } from "./revision-store.ts";

/** The revision of a document that has no pairs yet. */
export const BEFORE_FIRST_IMPORT = 0;

/** Brings back the pairs of a content that was replaced, as a new one: in one transaction, like an import. */
export async function restoreContent(
  parts: IngestParts,
  revision: ClaimedRevision,
  restored: number,
): Promise<StepOutcome> {
  const outcome = await restoreAndPublish(parts, revision, restored);
  if (outcome === "published" || outcome === "held")
    await sql`select signalbox_settle_terms(${revision.knowledgeBaseId})`.execute(parts.db);
  return outcome;
}

function restoreAndPublish(
  parts: IngestParts,
  revision: ClaimedRevision,
  restored: number,
): Promise<StepOutcome> {
  const { db: archive, bulk } = parts;
  return bulk.inBulkTransaction<StepOutcome>(async (db, copyInto) => {
    if (!(await holdRevision(db, revision))) return { keep: false, result: "interrupted" };
    const indexer = createPairIndexer(revision.knowledgeBaseId);
    const copy = await openPairCopy(db, copyInto, revision);
    // Read on another connection: this one is busy with what it is given.
    for await (const pairs of archivedPairs(archive, revision, restored))
      await copy.write(await indexer.index(pairs));
    if (indexer.pairs() === 0 && restored !== BEFORE_FIRST_IMPORT) {
      await copy.abandon();
      const detail = `revision ${restored} is no longer kept`;
      return { keep: false, result: { kind: "failed", cause: "revision_gone", detail } };
    }
    await copy.finish();
    const result = await publishUnlessHeld(parts, db, revision, contentOf(indexer));
    return { keep: true, result };
  });
}

async function* archivedPairs(
  db: Database,
  { agentId, documentId }: ClaimedRevision,
  restored: number,
): AsyncGenerator<StoredPair[]> {
  for (let part = 0; ; part += 1) {
    const row = await db
      .selectFrom("archived_content")
      .select("pairs")
      .where("agent_id", "=", agentId)
      .where("document_id", "=", documentId)
      .where("revision", "=", restored)
      .where("part", "=", part)
      .executeTakeFirst();
    if (row === undefined) return;
    // Safe because signalbox_archive_revision is the only writer.
    yield (row.pairs as ArchivedPair[]).map(({ source, tags = [], ...pair }) => ({
      ...pair,
      tags,
      ...(source === null ? {} : { source }),
    }));
  }
}

type ArchivedPair = Omit<StoredPair, "source"> & { source: NonNullable<StoredPair["source"]> | null };
