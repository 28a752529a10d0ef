/** The service's own reader of files of pairs, for who holds such a file: no database and no network behind this door. */
export type { IncomingPair } from "./incoming-pair.ts";
export { INTAKE_LIMITS } from "./limits.ts";
export type { FileFailure, FileProblem } from "./outcome.ts";
export { readQaFile, type QaFileReport } from "./qa/read-qa-file.ts";
