import { workerData } from "node:worker_threads";
import { failed, type FileFailure } from "../outcome.ts";
import { openWorkerSide } from "../worker-side.ts";
import type { ExtractedFile, ExtractJob } from "./extract-file.ts";
import { extract } from "./extract.ts";

const side = openWorkerSide<never, ExtractedFile | FileFailure>();
try {
  side.done(await extract(workerData as ExtractJob));
} catch (error) {
  // Readers meet what no person writes; whatever they throw on it says that the file cannot be read.
  side.done(failed("unreadable", `the file cannot be read: ${error instanceof Error ? error.message : ""}`));
}
