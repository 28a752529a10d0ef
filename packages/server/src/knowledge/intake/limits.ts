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
  unpackedBytesMax: number;
  markdownBytesMax: number;
  chunksMax: number;
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
  unpackedBytesMax: 100 * 1_048_576,
  markdownBytesMax: 2 * 1_048_576,
  chunksMax: 20_000,
  readTimeoutMs: 300_000,
  extractTimeoutMs: 60_000,
  workerMemoryMb: 512,
};
