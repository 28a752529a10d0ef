import { UPLOAD_PART_MAX_BYTES, type Upload } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import type { FileToImport } from "./files-to-import.ts";

const LOOK_EVERY_MS = 500;

/** Sends a file part by part; the client repeats a part whose answer was lost. */
export async function uploadInParts(
  client: Client,
  agent_id: string,
  { name, contents }: FileToImport,
  onBytes: (sent: number, all: number) => void,
): Promise<Upload> {
  const { size } = contents;
  let upload = await client.uploads.create({ agent_id, file_name: name, size_bytes: size });
  const { upload_id } = upload;
  while (upload.received_bytes < size) {
    const offset = upload.received_bytes;
    const part = await contents.slice(offset, offset + UPLOAD_PART_MAX_BYTES).arrayBuffer();
    const data = Buffer.from(part).toString("base64");
    upload = await client.uploads.addPart({ agent_id, upload_id, offset, data });
    onBytes(upload.received_bytes, size);
  }
  return upload;
}

/** Looks again until what it sees is done. */
export async function until<Seen>(
  seen: Seen,
  look: () => Promise<Seen>,
  isDone: (seen: Seen) => boolean,
): Promise<Seen> {
  while (!isDone(seen)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    seen = await look();
  }
  return seen;
}
