import type { InputOf, Upload } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey, type Engine } from "../../engine/index.ts";
import { pause, type Database, type Refusal } from "../../platform/index.ts";
import { describeUpload, incomplete, noUpload, readUpload } from "./upload-store.ts";

export interface AskPreviewParts {
  db: Database;
  engine: Engine;
  stopping: AbortSignal;
}

/** A small file is read before anybody notices; of a large one the caller asks again. */
const ANSWER_WITHIN_MS = 8_000;
const LOOK_EVERY_MS = 100;

/** The worker reads the file, as it does for an import. What it found is kept with the upload. */
export async function previewUpload(
  { db, engine, stopping }: AskPreviewParts,
  { agent_id: agentId, upload_id, ...reading }: InputOf<"previewUpload">,
): Promise<Upload | Refusal> {
  const upload = await readUpload(db, agentId, upload_id, "look");
  if (upload === undefined) return noUpload();
  const refusal = incomplete(upload);
  if (refusal !== undefined) return refusal;
  await db
    .updateTable("upload")
    .set({
      preview_asked: sql`preview_asked + 1`,
      preview_options: JSON.stringify(reading),
      preview_attempts: 0,
      beat_at: sql`now()`,
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", upload_id)
    .execute();
  await engine.send("ingest", "preview", objectKey(agentId, upload_id));
  const deadline = performance.now() + ANSWER_WITHIN_MS;
  let seen = await readUpload(db, agentId, upload_id, "look");
  while (seen !== undefined && !seen.is_previewed && performance.now() < deadline && !stopping.aborted) {
    await pause(LOOK_EVERY_MS, stopping);
    seen = await readUpload(db, agentId, upload_id, "look");
  }
  return seen === undefined ? noUpload() : describeUpload(seen);
}
