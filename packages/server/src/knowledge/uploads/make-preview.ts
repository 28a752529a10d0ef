import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { UploadPreview, UploadReading } from "@signalbox/contract";
import type { IngestParts } from "../documents/ingest-parts.ts";
import type { FileFailure, FileOnDisk, IncomingPair } from "../intake/index.ts";
import { compareWithBase } from "./compare-with-base.ts";
import { failedPreview, readPreview } from "./read-preview.ts";
import { claimPreview, keepPreview, writeUpload } from "./upload-store.ts";

const ATTEMPTS_MAX = 3;
const PROBLEMS_MAX = 200;
const PAIRS_SHOWN = 10;
const ANSWER_SHOWN_CHARACTERS = 500;

type PreviewParts = Pick<IngestParts, "db" | "directory" | "limits">;

/** Reads an uploaded file as an import would, and keeps what came of it instead of the pairs. True: another one was asked for. */
export async function makePreview(parts: PreviewParts, agentId: string, uploadId: string): Promise<boolean> {
  const { db, directory } = parts;
  const claimed = await claimPreview(db, agentId, uploadId);
  if (claimed === undefined) return false;
  const own = await mkdtemp(join(directory, "signalbox-preview-"));
  try {
    const file =
      claimed.attempts > ATTEMPTS_MAX ? GAVE_UP : await writeUpload(db, { agentId, ...claimed }, own);
    if (file === undefined) return false;
    const preview =
      "kind" in file ? failedPreview(file) : await previewFile(parts, agentId, file, claimed.options);
    await keepPreview(db, agentId, claimed, preview);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return true;
}

const GAVE_UP: FileFailure = {
  kind: "failed",
  cause: "gave_up",
  detail: `the file could not be read in ${ATTEMPTS_MAX} attempts`,
};

async function previewFile(
  { db, limits }: PreviewParts,
  agentId: string,
  file: FileOnDisk,
  options: UploadReading,
): Promise<UploadPreview> {
  const { preview, pairs } = await readPreview(file, options, { ...limits, problemsMax: PROBLEMS_MAX });
  const existing = await compareWithBase(db, agentId, options, pairs);
  return { ...preview, first_pairs: pairs.slice(0, PAIRS_SHOWN).map(shownPair), existing };
}

function shownPair({ question, answer }: IncomingPair): { question: string; answer: string } {
  return { question, answer: answer.slice(0, ANSWER_SHOWN_CHARACTERS) };
}
