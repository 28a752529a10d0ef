import type { FileOnDisk } from "../download.ts";
import type { IncomingPair } from "../incoming-pair.ts";
import { cpuBudgetMs, type IntakeLimits } from "../limits.ts";
import type { FileFailure, FileProblem, RefusedRow, SampleRow } from "../outcome.ts";
import { runWorker } from "../run-worker.ts";
import type { Columns } from "./find-table.ts";
import type { RowCounts } from "./row-judge.ts";

export interface QaFileReport extends RowCounts {
  kind: "read";
  problems: FileProblem[];
  /** The first rejected rows, whole. */
  refused: RefusedRow[];
  sample: SampleRow[];
  columns: Columns;
  encoding: string;
  /** Between 0 and 1. */
  encodingConfidence: number;
  delimiter: string;
}

export interface QaFileOptions {
  /** Number of leading rows up to the header, titles included; undefined: found out. */
  headerRow: number | undefined;
  /** Which columns to read, where somebody chose them; otherwise the header says it. */
  columns?: Columns | undefined;
  /** The delimiter, where the caller gave one. */
  splitter: string | undefined;
  limits: IntakeLimits;
}

export type QaFileJob = QaFileOptions & Omit<FileOnDisk, "sizeBytes">;

/** Reads a file of pairs. Each batch is awaited before reading runs ahead; a failure may come after pairs were handed over. */
export function readQaFile(
  { path, fileName, sizeBytes, contentType }: FileOnDisk,
  options: QaFileOptions,
  onPairs: (pairs: IncomingPair[]) => Promise<void>,
): Promise<QaFileReport | FileFailure> {
  const { limits } = options;
  const job: QaFileJob = { path, fileName, contentType, ...options };
  return runWorker<QaFileReport, IncomingPair[]>({
    entry: new URL("./qa-worker.ts", import.meta.url),
    job,
    silenceMs: limits.readTimeoutMs,
    cpuMs: cpuBudgetMs(sizeBytes, limits),
    memoryMb: limits.workerMemoryMb,
    onNote: onPairs,
  });
}
