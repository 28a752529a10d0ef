import { workerData } from "node:worker_threads";
import type { IncomingPair } from "../incoming-pair.ts";
import type { FileFailure } from "../outcome.ts";
import { openWorkerSide } from "../worker-side.ts";
import type { QaFileJob, QaFileReport } from "./read-qa-file.ts";
import { readRows } from "./read-rows.ts";

const job = workerData as QaFileJob;
const side = openWorkerSide<IncomingPair[], QaFileReport | FileFailure>();
side.done(await readRows(job, (pairs) => side.note(pairs)));
