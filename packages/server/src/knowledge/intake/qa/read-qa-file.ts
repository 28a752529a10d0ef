import type { IncomingPair } from "../incoming-pair.ts";
import { cpuBudgetMs, type IntakeLimits } from "../limits.ts";
import type { FileFailure, FileProblem } from "../outcome.ts";
import { runWorker } from "../run-worker.ts";
import type { RowCounts } from "./row-judge.ts";

export interface QaFileReport extends RowCounts {
  kind: "read";
  problems: FileProblem[];
  encoding: string;
  /** Between 0 and 1. */
  encodingConfidence: number;
  delimiter: string;
}

export interface QaFile {
  path: string;
  fileName: string;
  sizeBytes: number;
  contentType: string | undefined;
}

export interface QaFileOptions {
  /** Number of leading header rows, 0 to 5; undefined: found out. */
  headerRow: number | undefined;
  /** The delimiter, where the caller gave one. */
  splitter: string | undefined;
  limits: IntakeLimits;
}

export type QaFileJob = QaFileOptions & Omit<QaFile, "sizeBytes">;

/** Reads a file of pairs. Each batch is awaited before reading runs ahead; a failure may come after pairs were handed over. */
export function readQaFile(
  { path, fileName, sizeBytes, contentType }: QaFile,
  { headerRow, splitter, limits }: QaFileOptions,
  onPairs: (pairs: IncomingPair[]) => Promise<void>,
): Promise<QaFileReport | FileFailure> {
  const job: QaFileJob = { path, fileName, contentType, headerRow, splitter, limits };
  return runWorker<QaFileReport, IncomingPair[]>({
    entry: new URL("./qa-worker.ts", import.meta.url),
    job,
    silenceMs: limits.readTimeoutMs,
    cpuMs: cpuBudgetMs(sizeBytes, limits),
    memoryMb: limits.workerMemoryMb,
    onNote: onPairs,
  });
}
