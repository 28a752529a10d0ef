export { downloadFile, type DownloadedFile } from "./download.ts";
export { pairFault, questionKey, type IncomingPair } from "./incoming-pair.ts";
export { INTAKE_LIMITS, type IntakeLimits } from "./limits.ts";
export type { FileFailure, FileProblem } from "./outcome.ts";
export { readQaFile, type QaFileReport } from "./qa/read-qa-file.ts";
