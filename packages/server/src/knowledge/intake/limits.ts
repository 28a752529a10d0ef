/** What one file may be. Over-long is refused, never cut. Characters are Unicode code points. */
export interface IntakeLimits {
  questionCharactersMax: number;
  answerCharactersMax: number;
  alternatesMax: number;
  pairsMax: number;
  recordCharactersMax: number;
  /** Above this share of rejected rows a file is taken for something else. */
  rejectedRatioMax: number;
  problemsMax: number;
  /** Rejected rows that are kept whole, and how long they may be together. */
  refusedRowsMax: number;
  refusedCharactersMax: number;
  unpackedBytesMax: number;
  markdownBytesMax: number;
  chunksMax: number;
  /** Processor time a file may take before its size is looked at, and what each megabyte adds. */
  fileCpuMs: number;
  megabyteCpuMs: number;
  /** The longest silence of a reader, whatever the machine is busy with. */
  readTimeoutMs: number;
  extractTimeoutMs: number;
  workerMemoryMb: number;
}

export const INTAKE_LIMITS: IntakeLimits = {
  questionCharactersMax: 1_000,
  answerCharactersMax: 25_000,
  alternatesMax: 50,
  pairsMax: 100_000,
  recordCharactersMax: 1_048_576,
  rejectedRatioMax: 0.5,
  problemsMax: 20,
  refusedRowsMax: 1_000,
  refusedCharactersMax: 1_000_000,
  unpackedBytesMax: 100 * 1_048_576,
  markdownBytesMax: 2 * 1_048_576,
  chunksMax: 20_000,
  fileCpuMs: 5_000,
  megabyteCpuMs: 8_000,
  readTimeoutMs: 300_000,
  extractTimeoutMs: 300_000,
  workerMemoryMb: 320,
};

/** A small file that takes long is a trick; a large one may be a book. */
export function cpuBudgetMs(
  sizeBytes: number,
  { fileCpuMs, megabyteCpuMs }: Pick<IntakeLimits, "fileCpuMs" | "megabyteCpuMs">,
): number {
  return Math.round(fileCpuMs + (sizeBytes / 1_048_576) * megabyteCpuMs);
}
