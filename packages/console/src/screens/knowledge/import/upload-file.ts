import { type DocumentRevision, UPLOAD_PART_MAX_BYTES, type Upload } from "@signalbox/contract";
import { SignalboxConnectionError } from "@signalbox/sdk";
import { call, type InputOf } from "../../../service/index.ts";

const INTERRUPTIONS_MAX = 5;
const AFTER_INTERRUPTION_MS = 1_000;
const LOOK_EVERY_MS = 500;

/** How a file is to be read; what is left out is found by the service. */
export type Reading = Omit<InputOf<"previewUpload">, "agent_id" | "upload_id">;

export interface UploadRun {
  agentId: string;
  signal: AbortSignal;
  onShare: (share: number) => void;
}

/** Sends a file part by part. A line that breaks is no end: the service knows how far it came. */
export async function uploadFile(file: File, { agentId, signal, onShare }: UploadRun): Promise<Upload> {
  const named = { file_name: file.name, size_bytes: file.size };
  let upload = await call("createUpload", { agent_id: agentId, ...named }, { signal });
  const place = { agent_id: agentId, upload_id: upload.upload_id };
  let interruptions = 0;
  while (upload.received_bytes < file.size) {
    const offset = upload.received_bytes;
    const data = await base64Of(file.slice(offset, offset + UPLOAD_PART_MAX_BYTES));
    try {
      upload = await call("addUploadPart", { ...place, offset, data }, { signal });
      interruptions = 0;
      onShare(upload.received_bytes / file.size);
    } catch (error) {
      interruptions += 1;
      const isOver = signal.aborted || !(error instanceof SignalboxConnectionError);
      if (isOver || interruptions > INTERRUPTIONS_MAX) throw error;
      await wait(AFTER_INTERRUPTION_MS);
      upload = await call("getUpload", place, { signal }).catch(() => upload);
    }
  }
  return upload;
}

/** The upload with the preview of this reading; a large file takes a while. */
export async function previewUpload(
  { upload_id }: Upload,
  reading: Reading,
  { agentId, signal }: Pick<UploadRun, "agentId" | "signal">,
): Promise<Upload> {
  const place = { agent_id: agentId, upload_id };
  let upload = await call("previewUpload", { ...place, ...reading }, { signal });
  while (upload.preview === null) {
    await wait(LOOK_EVERY_MS);
    signal.throwIfAborted();
    upload = await call("getUpload", place, { signal });
  }
  return upload;
}

/** The same revision once the worker is done with it. */
export async function importEnded(
  agentId: string,
  begun: DocumentRevision,
  onStep: (revision: DocumentRevision) => void = () => undefined,
  signal?: AbortSignal,
): Promise<DocumentRevision> {
  let revision = begun;
  while (revision.state === "waiting" || revision.state === "working") {
    onStep(revision);
    await wait(LOOK_EVERY_MS);
    signal?.throwIfAborted();
    const { list } = await call("listRevisions", { agent_id: agentId, doc_id: begun.doc_id, limit: 100 });
    revision = list.find((one) => one.revision === begun.revision) ?? revision;
  }
  return revision;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function base64Of(part: Blob): Promise<string> {
  // Safe because readAsDataURL gives a string.
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
    reader.readAsDataURL(part);
  });
}
