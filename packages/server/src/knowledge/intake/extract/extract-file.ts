import type { FileOnDisk } from "../download.ts";
import type { IncomingPair } from "../incoming-pair.ts";
import { cpuBudgetMs, type IntakeLimits } from "../limits.ts";
import type { FileFailure, FileProblem } from "../outcome.ts";
import { runWorker } from "../run-worker.ts";
import type { Chunk } from "./chunks.ts";

export interface ExtractedFile {
  kind: "extracted";
  /** Questions and answers the document itself holds, in its own words. */
  pairs: IncomingPair[];
  /** Everything else. */
  chunks: Chunk[];
  problems: FileProblem[];
}

export interface ExtractOptions {
  /** A literal string that parts the document; `\n`, `\t` and `\r` may be written as escapes. */
  splitter: string | undefined;
  /** The most tokens of a chunk. */
  chunkToken: number;
  limits: IntakeLimits;
}

export interface ExtractJob extends ExtractOptions {
  path: string;
  fileName: string;
  contentType: string | undefined;
}

/** Reads any document we know in a thread of its own, which is ended when it takes too long or too much memory. */
export function extractFile(
  { path, fileName, sizeBytes, contentType }: FileOnDisk,
  { splitter, chunkToken, limits }: ExtractOptions,
): Promise<ExtractedFile | FileFailure> {
  const job: ExtractJob = { path, fileName, contentType, splitter, chunkToken, limits };
  return runWorker<ExtractedFile>({
    entry: new URL("./extract-worker.ts", import.meta.url),
    job,
    silenceMs: limits.extractTimeoutMs,
    cpuMs: cpuBudgetMs(sizeBytes, limits),
    memoryMb: limits.workerMemoryMb,
  });
}
