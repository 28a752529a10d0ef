import { normalTags, type QaChunk } from "@signalbox/contract";
import { newId, type Database } from "../../platform/index.ts";
import { dropRepeats } from "./drop-repeats.ts";
import { createPairIndexer, type StoredPair } from "./index-pairs.ts";
import { readKeptTags } from "./kept-tags.ts";
import { insertPairs, type RevisionKey } from "./pair-store.ts";
import { acceptRevision, contentOf, publishRevision, type RevisionAuthor } from "./revision-store.ts";

/** Trimmed, as a pair from a file is. */
export function storedPair({ question, answer, keywords, tags }: QaChunk): StoredPair {
  const alternates = (keywords ?? []).map((keyword) => keyword.trim());
  const pair: StoredPair = { question: question.trim(), answer: answer.trim(), alternates, origin: "row" };
  return tags === undefined || tags === null ? pair : { ...pair, tags: normalTags(tags) };
}

/**
 * The list given is the whole content of the document, from the commit of this transaction on. Decisions, 4.1: a repeated
 * pair is stored once, as from a file.
 */
export async function publishText(
  db: Database,
  document: Omit<RevisionKey, "revision">,
  list: QaChunk[],
  by?: RevisionAuthor,
): Promise<RevisionKey> {
  const indexer = createPairIndexer(document.knowledgeBaseId, await readKeptTags(db, document));
  const { pairs, duplicates } = dropRepeats(list.map(storedPair));
  const indexed = await indexer.index(pairs);
  const key = await acceptRevision(db, { ...document, importId: newId(), position: 0, reading: "text", by });
  await insertPairs(db, key, indexed);
  await publishRevision(db, key, { ...contentOf(indexer), rowsRead: list.length, duplicates });
  return key;
}
