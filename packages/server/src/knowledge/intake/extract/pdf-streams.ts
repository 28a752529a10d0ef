import { constants, inflateSync } from "node:zlib";

/** No page's worth of instructions, and no font, is as large as this. */
const STREAM_BYTES_MAX = 32 * 1_048_576;
/** For all streams together: fixed for a small file, per byte for a large one. A book with its fonts unpacks to less. */
const ALL_BYTES_MAX = 256 * 1_048_576;
const BYTES_FOR_EACH_MAX = 8;
const DICTIONARY_BYTES_MAX = 2_048;
const ZLIB = 0x78;
const LINE_ENDS = [0x0d, 0x0a];

/**
 * Whether what is packed in a PDF unpacks to more than a reader can hold: pdf.js unpacks a stream whole, and doubles its
 * buffer on the way. Pictures may be as large as they like, since nobody unpacks them for their text.
 */
export function isSwollen(bytes: Buffer): boolean {
  const allBytesMax = Math.max(ALL_BYTES_MAX, BYTES_FOR_EACH_MAX * bytes.length);
  let allBytes = 0;
  for (let at = bytes.indexOf("stream"); at !== -1; at = bytes.indexOf("stream", at + 6)) {
    let start = at + 6;
    while (LINE_ENDS.includes(bytes[start] ?? 0)) start += 1;
    if (bytes[start] !== ZLIB || isPicture(bytes, at)) continue;
    try {
      const unpacked = inflateSync(bytes.subarray(start), {
        maxOutputLength: STREAM_BYTES_MAX,
        finishFlush: constants.Z_SYNC_FLUSH,
      });
      allBytes += unpacked.length;
      if (allBytes > allBytesMax) return true;
    } catch (error) {
      // What cannot be unpacked is not told apart from what only looks packed: pdf.js will see.
      if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") return true;
    }
  }
  return false;
}

function isPicture(bytes: Buffer, streamAt: number): boolean {
  const before = bytes.subarray(Math.max(0, streamAt - DICTIONARY_BYTES_MAX), streamAt).toString("latin1");
  return /\/Subtype\s*\/Image\b/.test(before.slice(before.lastIndexOf(" obj")));
}
