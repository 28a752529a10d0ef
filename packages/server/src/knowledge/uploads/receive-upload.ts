import {
  ACKNOWLEDGED,
  UPLOAD_PART_MAX_BYTES,
  type Acknowledged,
  type InputOf,
  type Upload,
} from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import {
  audit,
  newId,
  refuse,
  type Database,
  type OperatorCaller,
  type Refusal,
} from "../../platform/index.ts";
import { describeUpload, noUpload, readUpload, type UploadRow } from "./upload-store.ts";

export interface UploadParts extends OperatorParts {
  fileBytesMax: number;
}

/** Files of one agent that may lie here at the same time, and how many times the largest one they may be together. */
const UPLOADS_MAX = 100;
const LARGEST_FILES_MAX = 10;

export function createUpload(
  { fileBytesMax, ...parts }: UploadParts,
  caller: OperatorCaller,
  { agent_id: agentId, file_name, size_bytes }: InputOf<"createUpload">,
): Promise<Upload | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const refusal =
      (await requireLiveAgent(db, agentId)) ??
      refuseSize(size_bytes, fileBytesMax) ??
      (await refuseTooMany(db, agentId, size_bytes, fileBytesMax));
    if (refusal !== undefined) return refusal;
    const id = newId();
    await db.insertInto("upload").values({ agent_id: agentId, id, file_name, size_bytes }).execute();
    const detail = { name: file_name, bytes: size_bytes };
    await audit(db, caller, { action: "upload.create", agentId, subjectId: id, detail });
    return describeUpload(await readWritten(db, agentId, id));
  });
}

export function refuseSize(sizeBytes: number, fileBytesMax: number): Refusal | undefined {
  return sizeBytes <= fileBytesMax
    ? undefined
    : refuse("tooLarge", `a file may have at most ${fileBytesMax} bytes; split it into several files`);
}

/** The agent's row is locked: two that begin at once are counted one after the other. */
export async function refuseTooMany(
  db: Database,
  agentId: string,
  sizeBytes: number,
  fileBytesMax: number,
): Promise<Refusal | undefined> {
  const { uploads, bytes } = await db
    .selectFrom("upload")
    .select(({ fn }) => [
      fn.countAll<number>().as("uploads"),
      fn.sum<number | null>("size_bytes").as("bytes"),
    ])
    .where("agent_id", "=", agentId)
    .executeTakeFirstOrThrow();
  if (uploads < UPLOADS_MAX && Number(bytes) + sizeBytes <= LARGEST_FILES_MAX * fileBytesMax)
    return undefined;
  return refuse(
    "stateConflict",
    `${uploads} uploaded files of this agent wait to be imported; import or delete some of them first`,
  );
}

/** Parts come in order. One that is there already is no mistake: its answer was lost. */
export function addUploadPart(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id: agentId, upload_id, offset, data }: InputOf<"addUploadPart">,
): Promise<Upload | Refusal> {
  const bytes = Buffer.from(data, "base64");
  return writeAsOperator(parts, caller, async (db) => {
    const upload = await readUpload(db, agentId, upload_id, "lock");
    if (upload === undefined) return noUpload();
    if (bytes.length > UPLOAD_PART_MAX_BYTES)
      return refuse("badParameter", `data has more than ${UPLOAD_PART_MAX_BYTES} bytes`);
    if (offset + bytes.length <= upload.received_bytes) return describeUpload(upload);
    if (offset !== upload.received_bytes)
      return refuse(
        "stateConflict",
        `go on at offset ${upload.received_bytes}: that many bytes have arrived`,
      );
    if (offset + bytes.length > upload.size_bytes)
      return refuse(
        "badParameter",
        `the file was announced with ${upload.size_bytes} bytes; this part goes beyond`,
      );
    await db
      .insertInto("upload_part")
      .values({ agent_id: agentId, upload_id, starts_at: offset, bytes })
      .execute();
    const received_bytes = offset + bytes.length;
    await db
      .updateTable("upload")
      .set({ received_bytes })
      .where("agent_id", "=", agentId)
      .where("id", "=", upload_id)
      .execute();
    if (received_bytes === upload.size_bytes)
      await audit(db, caller, { action: "upload.complete", agentId, subjectId: upload_id, detail: {} });
    return describeUpload({ ...upload, received_bytes });
  });
}

export async function getUpload(
  { db }: { db: Database },
  { agent_id, upload_id }: InputOf<"getUpload">,
): Promise<Upload | Refusal> {
  const upload = await readUpload(db, agent_id, upload_id, "look");
  return upload === undefined ? noUpload() : describeUpload(upload);
}

/** A file that is being imported is kept until that has ended. */
export function deleteUpload(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id: agentId, upload_id }: InputOf<"deleteUpload">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const importing = await db
      .selectFrom("document_revision")
      .select("id")
      .where("agent_id", "=", agentId)
      .where("upload_id", "=", upload_id)
      .where("state", "in", ["waiting", "working"])
      .executeTakeFirst();
    if (importing !== undefined) return refuse("stateConflict", "the file is being imported");
    await db
      .deleteFrom("upload_part")
      .where("agent_id", "=", agentId)
      .where("upload_id", "=", upload_id)
      .execute();
    const { numDeletedRows } = await db
      .deleteFrom("upload")
      .where("agent_id", "=", agentId)
      .where("id", "=", upload_id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return noUpload();
    await audit(db, caller, { action: "upload.delete", agentId, subjectId: upload_id, detail: {} });
    return ACKNOWLEDGED;
  });
}

async function readWritten(db: Database, agentId: string, uploadId: string): Promise<UploadRow> {
  const upload = await readUpload(db, agentId, uploadId, "look");
  if (upload === undefined) throw new Error("an upload is gone that was just written");
  return upload;
}
