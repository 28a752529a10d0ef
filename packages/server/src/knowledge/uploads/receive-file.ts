import { createHash } from "node:crypto";
import {
  readWire,
  UPLOAD_PART_MAX_BYTES,
  UploadFileFields,
  type DocumentRevision,
} from "@signalbox/contract";
import { sql } from "kysely";
import type { Engine } from "../../engine/index.ts";
import {
  audit,
  newId,
  once,
  pause,
  Refusal,
  refuse,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type FormPart,
  type FormStream,
  type Sealer,
} from "../../platform/index.ts";
import { refuseTooManyFiles } from "../documents/import-ticket.ts";
import { readRevision, startIngest } from "../documents/list-revisions.ts";
import { acceptRevision } from "../documents/revision-store.ts";
import { documentFor } from "./import-upload.ts";
import { refuseSize, refuseTooMany } from "./receive-upload.ts";

export interface ReceiveFileParts {
  db: Database;
  agents: AgentDatabase;
  sealer: Sealer;
  engine: Engine;
  stopping: AbortSignal;
  answerWithinMs: number;
  fileBytesMax: number;
  waitingFilesMax: number;
}

const FIELD_BYTES_MAX = 4_096;
const LOOK_EVERY_MS = 150;

/** Stored part by part as it arrives, then an import like any other. What is not imported is deleted at once. */
export async function receiveFile(
  parts: ReceiveFileParts,
  caller: AgentCaller,
  form: FormStream,
): Promise<DocumentRevision | Refusal> {
  const { db } = parts;
  const { agentId } = caller;
  const uploadId = newId();
  let isImported = false;
  try {
    const received = await readFileForm(parts, { agentId, uploadId }, form);
    if (received instanceof Refusal) return received;
    const accepted = await acceptFile(parts, caller, { uploadId, ...received });
    if (accepted instanceof Refusal) return accepted;
    isImported = accepted.uploadId === uploadId;
    return await answer(parts, agentId, accepted);
  } finally {
    if (!isImported) await deleteReceived(db, agentId, uploadId);
  }
}

interface ReceivedFile {
  fileName: string;
  fields: UploadFileFields;
  /** A hash of the fields and the file: a repeat with the same Idempotency-Key brings the same. */
  hash: Buffer;
}

async function readFileForm(
  parts: ReceiveFileParts,
  upload: { agentId: string; uploadId: string },
  form: FormStream,
): Promise<ReceivedFile | Refusal> {
  const fields: Record<string, string> = {};
  let file: { name: string; hash: Buffer } | undefined;
  for await (const part of form) {
    if (part.name === "file") {
      if (file !== undefined) return refuse("badParameter", "file is given twice: send one file a call");
      const stored = await storeFile(parts, upload, part);
      if (stored instanceof Refusal) return stored;
      file = { name: part.fileName ?? "", hash: stored };
    } else {
      const value = await readField(part);
      if (value === undefined) return refuse("badParameter", `${shown(part.name)} is too long`);
      if (Object.hasOwn(fields, part.name))
        return refuse("badParameter", `${shown(part.name)} is given twice`);
      fields[part.name] = value;
    }
  }
  if (file === undefined)
    return refuse("badParameter", "file is required: send it as a part with a file name");
  const read = readWire(UploadFileFields, { file_name: file.name, ...withoutEmpty(fields) });
  if (!read.ok) return refuse("badParameter", read.problem);
  const fileName = read.value.file_name;
  if (fileName === undefined || fileName === null)
    return refuse("badParameter", "file_name is required where the file has no name");
  const hash = createHash("sha256").update(JSON.stringify(read.value)).update(file.hash).digest();
  return { fileName, fields: read.value, hash };
}

/** A client's form sends what was left empty. */
function withoutEmpty(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

const shown = (name: string) => name.slice(0, 60).toWellFormed();

async function readField({ contents }: FormPart): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of contents) {
    length += piece.length;
    if (length > FIELD_BYTES_MAX) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8").replaceAll("\u0000", "");
}

/** Never more in memory than one part. Nobody knows how large the file is before it has come. */
async function storeFile(
  { db, fileBytesMax }: ReceiveFileParts,
  { agentId, uploadId }: { agentId: string; uploadId: string },
  { fileName = "", contents }: FormPart,
): Promise<Buffer | Refusal> {
  const refusal = await refuseTooMany(db, agentId, 0, fileBytesMax);
  if (refusal !== undefined) return refusal;
  const file_name = fileName.slice(0, 200).replaceAll("\u0000", "");
  await db
    .insertInto("upload")
    .values({ agent_id: agentId, id: uploadId, file_name, size_bytes: 0 })
    .execute();
  const hash = createHash("sha256");
  let size = 0;
  for await (const bytes of inParts(contents)) {
    const tooLarge = refuseSize(size + bytes.length, fileBytesMax);
    if (tooLarge !== undefined) return tooLarge;
    hash.update(bytes);
    await db
      .insertInto("upload_part")
      .values({ agent_id: agentId, upload_id: uploadId, starts_at: size, bytes })
      .execute();
    size += bytes.length;
    await db
      .updateTable("upload")
      .set({ size_bytes: size, received_bytes: size })
      .where("agent_id", "=", agentId)
      .where("id", "=", uploadId)
      .execute();
  }
  return size === 0 ? refuse("badParameter", "file is empty") : hash.digest();
}

async function* inParts(contents: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of contents) {
    pieces.push(piece);
    length += piece.length;
    if (length < UPLOAD_PART_MAX_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(pieces);
}

interface AcceptedFile {
  documentId: string;
  revision: number;
  uploadId: string;
}

function acceptFile(
  { agents, sealer, waitingFilesMax }: ReceiveFileParts,
  caller: AgentCaller,
  { uploadId, fileName, fields, hash }: ReceivedFile & { uploadId: string },
): Promise<AcceptedFile | Refusal> {
  const { agentId, idempotency } = caller;
  const scope = {
    ...caller,
    idempotency: idempotency && {
      ...idempotency,
      requestHash: createHash("sha256").update(idempotency.requestHash).update(hash).digest(),
    },
  };
  return agents.asAgent(agentId, (db) =>
    once(db, sealer, scope, async (db) => {
      const refusal = await refuseTooManyFiles(db, agentId, { waitingFilesMax }, 1);
      if (refusal !== undefined) return refusal;
      const target = await documentFor(db, { agent_id: agentId, ...fields }, fileName);
      if (target instanceof Refusal) return target;
      const { documentId, revision } = await acceptRevision(db, {
        agentId,
        ...target,
        importId: newId(),
        position: 0,
        by: caller,
        reading: "by_type",
        file: { name: fileName, uploadId },
        headerRow: fields.header_rows,
        splitter: fields.delimiter ?? undefined,
        columns: columnsOf(fields),
      });
      const action = typeof fields.doc_id === "string" ? "document.replace" : "document.add";
      await audit(db, caller, {
        action,
        agentId,
        subjectId: documentId,
        detail: { by: "upload", name: fileName },
      });
      return { documentId, revision, uploadId };
    }),
  );
}

/** People count columns from 1. */
function columnsOf({ question_column, answer_column, alternates_columns, tags_column }: UploadFileFields) {
  if (question_column === undefined || answer_column === undefined) return undefined;
  return {
    question: question_column - 1,
    answer: answer_column - 1,
    alternates: alternates_columns.map((column) => column - 1),
    ...(tags_column !== undefined && { tags: tags_column - 1 }),
  };
}

async function answer(
  { db, engine, stopping, answerWithinMs }: ReceiveFileParts,
  agentId: string,
  { documentId, revision, uploadId }: AcceptedFile,
): Promise<DocumentRevision> {
  await db
    .updateTable("upload")
    .set({ imported_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "=", uploadId)
    .execute();
  const deadline = performance.now() + answerWithinMs;
  let seen = await readRevision(db, agentId, documentId, revision);
  await startIngest(db, engine, agentId, seen);
  while (isUnderWay(seen) && performance.now() < deadline && !stopping.aborted) {
    await pause(LOOK_EVERY_MS, stopping);
    seen = await readRevision(db, agentId, documentId, revision);
  }
  return seen;
}

function isUnderWay({ state }: DocumentRevision): boolean {
  return state === "waiting" || state === "working";
}

async function deleteReceived(db: Database, agentId: string, uploadId: string): Promise<void> {
  await db
    .deleteFrom("upload_part")
    .where("agent_id", "=", agentId)
    .where("upload_id", "=", uploadId)
    .execute();
  await db.deleteFrom("upload").where("agent_id", "=", agentId).where("id", "=", uploadId).execute();
}
