import type { Database } from "../../platform/index.ts";
import { recordContentChange, type ContentChange, type CurrentContent } from "./content-change.ts";
import type { FoundDocument } from "./document-store.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import { insertPairs, lastOrdinal } from "./pair-store.ts";

/**
 * Adds pairs to the content that readers see, for as many rows as are added: they see none of them before the commit and
 * all of them after it. The document is locked, so appends and imports of it come one after the other. Returns the ordinal of the
 * first pair.
 */
export async function appendPairs(
  db: Database,
  agentId: string,
  document: FoundDocument,
  before: CurrentContent,
  added: StoredPair[],
  made: Pick<ContentChange, "change" | "by">,
): Promise<number> {
  const { id: documentId, knowledgeBaseId, currentRevision } = document;
  const indexer = createPairIndexer(knowledgeBaseId);
  const indexed = await indexer.index(added);
  const content = { agentId, knowledgeBaseId, documentId, revision: currentRevision };
  const last = await lastOrdinal(db, content);
  await insertPairs(db, content, indexed, last);
  await recordContentChange(db, agentId, document, {
    ...made,
    after: {
      pairs: before.pairs + added.length,
      characters: before.characters + indexer.characters(),
    },
    touched: { added: added.length, edited: 0 },
    statistics: indexer.counts(),
  });
  return last + 1;
}
