import { QA_LIST_MAX_PAIRS, type QaChunk } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";

/** The service takes 10 MB; the rest is for what stands around the pairs. */
const BATCH_BYTES_MAX = 8_000_000;
/** Thousands of pairs may take their time on a busy machine. */
const TIMEOUT_MS = 180_000;

export interface DocumentToStore {
  name: string;
  knowledge_base_id: string | undefined;
  pairs: readonly QaChunk[];
  /** Documents whose place it takes. */
  replaces: readonly string[];
}

/** What is in the service so far, also when the rest never came. */
export interface StoredDocument {
  doc_id: string | null;
  stored: number;
}

/**
 * Each request carries a key of its own and is repeated with it, so none acts twice. A document that fits one request is
 * stored whole or not at all; of a larger one the old content stays until the new one is whole.
 */
export async function storePairs(
  client: Client,
  { name, knowledge_base_id, pairs, replaces }: DocumentToStore,
  onStored: (stored: StoredDocument) => void,
): Promise<void> {
  const options = { timeoutMs: TIMEOUT_MS };
  const [first = [], ...rest] = batchesOf(pairs);
  const [replaced, ...others] = replaces;
  if (replaced !== undefined && others.length === 0 && rest.length === 0) {
    await client.addQaChunks({ doc_id: replaced, chunks: first, replace: true }, options);
    onStored({ doc_id: replaced, stored: first.length });
    return;
  }
  const isPlain = first.every(({ keywords, tags }) => [...(keywords ?? []), ...(tags ?? [])].length === 0);
  // A list of 4.1 has no room for alternates and tags: the document begins with one pair, whose place they all take.
  const qaList = isPlain ? first : first.slice(0, 1);
  const { doc } = await client.addQa({ purpose: "QA_TEXT", name, knowledge_base_id, qaList }, options);
  const doc_id = doc[0]?.doc_id ?? "";
  onStored({ doc_id, stored: isPlain ? first.length : 0 });
  if (!isPlain) await client.addQaChunks({ doc_id, chunks: first, replace: true }, options);
  let stored = first.length;
  onStored({ doc_id, stored });
  for (const chunks of rest) {
    await client.addQaChunks({ doc_id, chunks }, options);
    stored += chunks.length;
    onStored({ doc_id, stored });
  }
  if (replaces.length > 0) await client.deleteDocuments({ doc: replaces.join(",") });
}

function batchesOf(pairs: readonly QaChunk[]): QaChunk[][] {
  const batches: QaChunk[][] = [];
  let batch: QaChunk[] = [];
  let bytes = 0;
  for (const pair of pairs) {
    const size = Buffer.byteLength(JSON.stringify(pair));
    if (batch.length === QA_LIST_MAX_PAIRS || (bytes + size > BATCH_BYTES_MAX && batch.length > 0)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(pair);
    bytes += size + 1;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
