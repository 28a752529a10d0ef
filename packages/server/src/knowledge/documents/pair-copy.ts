import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Database } from "../../platform/index.ts";
import type { IndexedPair } from "./index-pairs.ts";
import { copyPairs, copyPairsStatement, type RevisionKey } from "./pair-store.ts";

/** Pairs on their way into a revision; nothing is there until `finish` returns. */
export interface PairCopy {
  /** Waits while PostgreSQL is behind. */
  write(pairs: IndexedPair[]): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

export async function openPairCopy(
  db: Database,
  copyInto: (statement: string) => Writable,
  key: RevisionKey,
): Promise<PairCopy> {
  const copy = copyInto(await copyPairsStatement(db, key.knowledgeBaseId));
  let failure: Error | undefined;
  // A stream that fails between two writes would otherwise end the process.
  copy.on("error", (error: Error) => (failure = error));
  let written = 0;
  return {
    async write(pairs) {
      if (failure !== undefined) throw failure;
      await copyPairs(copy, key, pairs, written);
      written += pairs.length;
    },
    async finish() {
      if (failure !== undefined) throw failure;
      copy.end();
      await finished(copy);
    },
    async abandon() {
      if (copy.destroyed) return;
      const closed = once(copy, "close").catch(() => undefined);
      copy.destroy();
      await closed;
    },
  };
}
