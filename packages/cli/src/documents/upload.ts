import { open } from "node:fs/promises";
import { basename } from "node:path";
import { UPLOAD_PART_MAX_BYTES, type Upload } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";

const LOOK_EVERY_MS = 500;

/** Sends a file part by part; the client repeats a part whose answer was lost. */
export async function uploadFile(
  client: Client,
  agent_id: string,
  path: string,
  onBytes: (sent: number, all: number) => void,
): Promise<Upload> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    let upload = await client.createUpload({ agent_id, file_name: basename(path), size_bytes: size });
    const buffer = Buffer.alloc(UPLOAD_PART_MAX_BYTES);
    while (upload.received_bytes < size) {
      const offset = upload.received_bytes;
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      const data = buffer.subarray(0, bytesRead).toString("base64");
      upload = await client.addUploadPart({ agent_id, upload_id: upload.upload_id, offset, data });
      onBytes(upload.received_bytes, size);
    }
    return upload;
  } finally {
    await file.close();
  }
}

/** Asks again until what it sees is done. */
export async function until<Seen>(look: () => Promise<Seen>, isDone: (seen: Seen) => boolean): Promise<Seen> {
  for (;;) {
    const seen = await look();
    if (isDone(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
