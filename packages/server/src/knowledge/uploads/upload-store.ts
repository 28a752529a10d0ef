import { randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Upload, UploadPreview, UploadReading } from "@signalbox/contract";
import { sql } from "kysely";
import { refuse, type Database, type Refusal } from "../../platform/index.ts";
import type { FileOnDisk } from "../intake/index.ts";

export interface UploadRow {
  id: string;
  file_name: string;
  size_bytes: number;
  received_bytes: number;
  preview: UploadPreview | null;
  is_previewed: boolean;
  created_at: Date;
}

/** `lock`: nobody else adds to it until the transaction ends. */
export async function readUpload(
  db: Database,
  agentId: string,
  uploadId: string,
  lock: "lock" | "look",
): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`
    select id, file_name, size_bytes, received_bytes, created_at, preview, preview_made = preview_asked as is_previewed
    from upload where agent_id = ${agentId} and id = ${uploadId} ${lock === "lock" ? sql`for update` : sql``}`.execute(
    db,
  );
  return rows[0];
}

export function describeUpload(row: UploadRow): Upload {
  return {
    upload_id: row.id,
    file_name: row.file_name,
    size_bytes: row.size_bytes,
    received_bytes: row.received_bytes,
    preview: row.is_previewed ? row.preview : null,
    create_time: row.created_at.getTime(),
  };
}

export function noUpload(): Refusal {
  return refuse(
    "notFound",
    "there is no such upload; uploads are kept for a day, and for an hour after their import",
  );
}

export function incomplete({ received_bytes, size_bytes }: UploadRow): Refusal | undefined {
  return received_bytes === size_bytes
    ? undefined
    : refuse(
        "stateConflict",
        `the file is incomplete: ${received_bytes} of ${size_bytes} bytes have arrived`,
      );
}

/** What the worker needs to make the preview that was asked for last. */
export interface ClaimedPreview {
  uploadId: string;
  number: number;
  fileName: string;
  options: UploadReading;
  /** Times it was begun, this one included. */
  attempts: number;
}

/** Undefined when it is made already, or nobody asked. */
export async function claimPreview(
  db: Database,
  agentId: string,
  uploadId: string,
): Promise<ClaimedPreview | undefined> {
  const row = await db
    .updateTable("upload")
    .set({ preview_attempts: sql`preview_attempts + 1`, beat_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "=", uploadId)
    .whereRef("preview_made", "<", "preview_asked")
    .returning(["preview_asked", "file_name", "preview_options", "preview_attempts"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    uploadId,
    number: row.preview_asked,
    fileName: row.file_name,
    // Safe because askPreview wrote what the contract had read.
    options: row.preview_options as UploadReading,
    attempts: row.preview_attempts,
  };
}

/** One that was asked for meanwhile is made next. */
export async function keepPreview(
  db: Database,
  agentId: string,
  { uploadId, number }: ClaimedPreview,
  preview: UploadPreview,
): Promise<void> {
  await db
    .updateTable("upload")
    .set({ preview: JSON.stringify(preview), preview_made: number })
    .where("agent_id", "=", agentId)
    .where("id", "=", uploadId)
    .where("preview_made", "<", number)
    .execute();
}

/** Puts the parts together in a file, which the caller removes. Undefined: some parts are no longer there. */
export async function writeUpload(
  db: Database,
  { agentId, uploadId, fileName }: { agentId: string; uploadId: string; fileName: string },
  directory: string,
): Promise<FileOnDisk | undefined> {
  const upload = await readUpload(db, agentId, uploadId, "look");
  if (upload === undefined) return undefined;
  const path = join(directory, randomUUID());
  const file = await open(path, "wx", 0o600);
  let sizeBytes = 0;
  try {
    while (sizeBytes < upload.size_bytes) {
      const part = await db
        .selectFrom("upload_part")
        .select("bytes")
        .where("agent_id", "=", agentId)
        .where("upload_id", "=", uploadId)
        .where("starts_at", "=", sizeBytes)
        .executeTakeFirst();
      if (part === undefined) return undefined;
      await file.writeFile(part.bytes);
      sizeBytes += part.bytes.length;
    }
  } finally {
    await file.close();
  }
  return { path, fileName, sizeBytes, contentType: undefined };
}

/** Uploads that are a day old, or were imported an hour ago; one that is being imported stays. */
export async function sweepUploads(db: Database): Promise<void> {
  await sql`
    with swept as (
      delete from upload u
      where (u.created_at < now() - interval '1 day' or u.imported_at < now() - interval '1 hour')
        and not exists (select from document_revision r where r.agent_id = u.agent_id and r.upload_id = u.id
          and r.state in ('waiting', 'working'))
      returning u.agent_id, u.id)
    delete from upload_part p using swept s where p.agent_id = s.agent_id and p.upload_id = s.id`.execute(db);
}
