import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdDecompressSync } from "node:zlib";

/** Something that must not turn up, under the name it is reported by. */
export interface Canary {
  name: string;
  value: string | Buffer;
}

export interface Hit {
  canary: string;
  form: string;
  place: string;
}

/** Unlike anything else, and with signs that URLs, JSON and base64 each write in their own way. */
export function newCanary(name: string): { name: string; value: string } {
  // Thirty-one characters: the shortest field there is takes thirty-two.
  return { name, value: `${randomBytes(6).toString("hex")}~%/+"\\&${randomBytes(6).toString("hex")}` };
}

/** The ways in which a value is usually written, wherever it stands in a longer text. */
function formsOf(value: string | Buffer): Map<string, Buffer> {
  const bytes = Buffer.from(value);
  const forms = new Map<string, Buffer>([
    ["as it is", bytes],
    ["hex", Buffer.from(bytes.toString("hex"))],
  ]);
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // What depends on the neighbours is left out: the first and the last group of four.
    const inner = encoded.slice(offset === 0 ? 0 : 4, encoded.length - 4);
    forms.set(`base64, ${offset} bytes in`, Buffer.from(inner));
    forms.set(`base64url, ${offset} bytes in`, Buffer.from(inner.replaceAll("+", "-").replaceAll("/", "_")));
  }
  if (typeof value === "string") {
    forms.set("URL-encoded", Buffer.from(encodeURIComponent(value)));
    forms.set("URL-encoded form", Buffer.from(new URLSearchParams({ "": value }).toString().slice(1)));
    forms.set("in COPY", Buffer.from(value.replaceAll("\\", "\\\\")));
    forms.set("in JSON", Buffer.from(JSON.stringify(value).slice(1, -1)));
    forms.set("in JSON in JSON", Buffer.from(JSON.stringify(JSON.stringify(value)).slice(3, -3)));
  }
  return forms;
}

/** Looks for every form of every canary in bytes that are named by where they are from. */
export function createSearch(canaries: Canary[]): (place: string, bytes: Buffer) => Hit[] {
  const needles = new Map<string, { canary: string; form: string; needle: Buffer }>();
  for (const { name, value } of canaries) {
    for (const [form, needle] of formsOf(value)) {
      if (needle.length < 12) throw new Error(`${name} is too short to be told from chance`);
      const key = needle.toString("latin1");
      if (!needles.has(key)) needles.set(key, { canary: name, form, needle });
    }
  }
  const wanted = [...needles.values()];
  return (place, bytes) =>
    wanted
      .filter(({ needle }) => bytes.includes(needle))
      .map(({ canary, form }) => ({ canary, form, place }));
}

/** Every file of a directory, however deep, and beside it what is packed in it. One that goes away meanwhile is passed over. */
export function* filesIn(directory: string): Generator<{ path: string; bytes: Buffer }> {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) yield* filesIn(path);
    else if (found?.isFile() === true && found.size > 0) {
      const bytes = withoutTail(readFileSync(path));
      yield { path, bytes };
      for (const unpacked of [unpack(bytes), unpack(joinFragments(bytes))])
        if (unpacked.length > 0) yield { path: `${path}, unpacked`, bytes: unpacked };
    }
  }
}

const CHUNK_BYTES = 65_536;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

/** Files are made long in advance, of zeros. */
function withoutTail(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end >= CHUNK_BYTES && bytes.subarray(end - CHUNK_BYTES, end).equals(ZEROS)) end -= CHUNK_BYTES;
  return bytes.subarray(0, end);
}

const FRAME_START = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** The engine packs what it writes: whatever begins like a frame of zstd is unpacked as far as it goes. */
function unpack(bytes: Buffer): Buffer {
  const unpacked: Buffer[] = [];
  for (let at = bytes.indexOf(FRAME_START); at !== -1;) {
    const next = bytes.indexOf(FRAME_START, at + FRAME_START.length);
    try {
      const frame = bytes.subarray(at, next === -1 ? bytes.length : next);
      unpacked.push(zstdDecompressSync(frame, { finishFlush: constants.ZSTD_e_continue }));
    } catch {
      // Four bytes that look like a frame and are none, or one that the fragments below hold whole.
    }
    at = next;
  }
  return Buffer.concat(unpacked);
}

const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;

/** A write-ahead log of RocksDB is cut into blocks, and a record that crosses one into fragments: the cuts are taken out. */
function joinFragments(bytes: Buffer): Buffer {
  const payloads: Buffer[] = [];
  for (let block = 0; block < bytes.length; block += BLOCK_BYTES) {
    const end = Math.min(block + BLOCK_BYTES, bytes.length);
    for (let at = block; at + HEADER_BYTES <= end;) {
      const length = bytes.readUInt16LE(at + 4);
      if (length === 0 || at + HEADER_BYTES + length > end) break;
      payloads.push(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
      at += HEADER_BYTES + length;
    }
  }
  return Buffer.concat(payloads);
}
