import type { QaChunk } from "@signalbox/contract";
import { newId, type Database } from "../../platform/index.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import { insertPairs, type RevisionKey } from "./pair-store.ts";
import { acceptRevision, contentOf, publishRevision, type RevisionAuthor } from "./revision-store.ts";

export function storedPair({ question, answer, keywords }: QaChunk): StoredPair {
  return { question, answer, alternates: keywords ?? [], origin: "row" };
}

/** The list given is the whole content of the document, from the commit of this transaction on. */
export async function publishText(
  db: Database,
  document: Omit<RevisionKey, "revision">,
  list: QaChunk[],
  by?: RevisionAuthor,
): Promise<RevisionKey> {
  const indexer = createPairIndexer(document.knowledgeBaseId);
  const indexed = await indexer.index(list.map(storedPair));
  const key = await acceptRevision(db, { ...document, importId: newId(), position: 0, reading: "text", by });
  await insertPairs(db, key, indexed);
  await publishRevision(db, key, contentOf(indexer));
  return key;
}
