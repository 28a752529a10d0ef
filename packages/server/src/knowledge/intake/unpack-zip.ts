import { crc32 } from "node:zlib";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import { failed, type FileFailure } from "./outcome.ts";

const ENTRIES_MAX = 2_000;
const RATIO_MAX = 200;
/** Small files compress well without being a trick: templates, repeated styles. */
const RATIO_COUNTS_FROM_BYTES = 1_048_576;

export type UnpackedZip = { kind: "unpacked"; parts: Map<string, Buffer> };

/**
 * Unpacks what is wanted from an Office file, byte for byte counted: the sizes a zip states can lie, and so can its
 * ratio. Parsers never see the archive itself.
 */
export async function unpackZip(
  path: string,
  isWanted: (name: string) => boolean,
  unpackedBytesMax: number,
): Promise<UnpackedZip | FileFailure> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false });
    if (zip.entryCount > ENTRIES_MAX)
      return failed("zip_refused", `the file is an archive of more than ${ENTRIES_MAX} files`);
    const entries: Entry[] = [];
    let statedBytes = 0;
    for await (const entry of zip.eachEntry()) {
      statedBytes += entry.uncompressedSize;
      const fault = entryFault(entry, statedBytes, unpackedBytesMax);
      if (fault !== undefined) return fault;
      if (isWanted(entry.fileName)) entries.push(entry);
    }
    return await unpackEntries(zip, entries, unpackedBytesMax);
  } catch (error) {
    return failed(
      "zip_broken",
      `the file is a damaged archive: ${error instanceof Error ? error.message : ""}`,
    );
  } finally {
    zip?.close();
  }
}

function entryFault(entry: Entry, statedBytes: number, unpackedBytesMax: number): FileFailure | undefined {
  if (entry.isEncrypted()) return failed("encrypted", "the file is protected by a password");
  if (statedBytes > unpackedBytesMax)
    return failed("zip_refused", `the file decompresses to more than ${unpackedBytesMax} bytes`);
  const isSwollen =
    entry.uncompressedSize > RATIO_COUNTS_FROM_BYTES &&
    entry.uncompressedSize > entry.compressedSize * RATIO_MAX;
  return isSwollen
    ? failed("zip_refused", `a part of the file decompresses to more than ${RATIO_MAX} times its size`)
    : undefined;
}

async function unpackEntries(
  zip: ZipFile,
  entries: Entry[],
  unpackedBytesMax: number,
): Promise<UnpackedZip | FileFailure> {
  const parts = new Map<string, Buffer>();
  let bytes = 0;
  for (const entry of entries) {
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      bytes += (piece as Buffer).length;
      if (bytes > unpackedBytesMax)
        return failed("zip_refused", `the file decompresses to more than ${unpackedBytesMax} bytes`);
      pieces.push(piece as Buffer);
    }
    parts.set(entry.fileName, Buffer.concat(pieces));
  }
  return { kind: "unpacked", parts };
}

/** A plain archive of these parts, for parsers that take nothing else. Nothing in it is compressed, so nothing can swell. */
export function packZip(parts: Map<string, Buffer>): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const fileName = Buffer.from(name, "utf8");
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x0800, 2); // names are UTF-8
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(content.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(fileName.length, 22);
    const header = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), shared, fileName]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"), shared, place, fileName);
    pieces.push(header, content);
    offset += header.length + content.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(parts.size, 8);
  end.writeUInt16LE(parts.size, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, list, end]);
}
