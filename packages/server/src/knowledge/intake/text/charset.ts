import { open, type FileHandle } from "node:fs/promises";
import { failed, type FileFailure } from "../outcome.ts";

export interface Charset {
  /** As iconv-lite or TextDecoder know it, in lower case. */
  name: string;
  bomBytes: number;
  /** Between 0 and 1. */
  confidence: number;
  /** A byte that means nothing in this charset becomes U+FFFD; false when every byte was seen to mean something. */
  mayLoseBytes: boolean;
}

const SAMPLE_BYTES = 65_536;
const NUL_SHARE_MAX = 0.01;
const ESCAPE = 0x1b;
const CONTEXT_BYTES = 1_024;

const BOMS: { bytes: number[]; name: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], name: "utf-8" },
  { bytes: [0xff, 0xfe, 0, 0], name: "utf-32le" },
  { bytes: [0, 0, 0xfe, 0xff], name: "utf-32be" },
  { bytes: [0xff, 0xfe], name: "utf-16le" },
  { bytes: [0xfe, 0xff], name: "utf-16be" },
  { bytes: [0x84, 0x31, 0x95, 0x33], name: "gb18030" },
];

/** Charsets servers name without having looked; a file that contradicts them is believed instead. */
const NAMED_BY_DEFAULT = ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1"];

/** A byte order mark, else strict UTF-8 over the whole file, else what the file's sender or its bytes suggest. */
export async function findCharset(path: string, hint?: string): Promise<Charset | FileFailure> {
  const file = await open(path, "r");
  try {
    const head = await readAt(file, 0, SAMPLE_BYTES);
    const bom = BOMS.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
    if (bom !== undefined)
      return { name: bom.name, bomBytes: bom.bytes.length, confidence: 1, mayLoseBytes: true };

    const nuls = countNuls(head);
    const sixteen = sixteenBits(head, nuls);
    if (sixteen !== undefined) return { name: sixteen, bomBytes: 0, confidence: 0.9, mayLoseBytes: true };
    if (nuls.even + nuls.odd > head.length * NUL_SHARE_MAX)
      return failed("not_text", "the file contains binary data, not text");

    if (await isStrictUtf8(file)) return { name: "utf-8", bomBytes: 0, confidence: 1, mayLoseBytes: false };
    return await guess(await sampleForGuessing(file), hint);
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}

interface NulCount {
  even: number;
  odd: number;
}

function countNuls(head: Buffer): NulCount {
  const count = { even: 0, odd: 0 };
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) {
    if (at % 2 === 0) count.even += 1;
    else count.odd += 1;
  }
  return count;
}

/** UTF-16 saved without its mark: the upper halves of commas and line ends are zero, all on one side. */
function sixteenBits(head: Buffer, { even, odd }: NulCount): string | undefined {
  const [side, other] = odd > even ? [odd, even] : [even, odd];
  if (side < head.length * NUL_SHARE_MAX || other > side / 20) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

async function isStrictUtf8(file: FileHandle): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // ISO-2022-JP is ASCII with escapes, so it passes for UTF-8.
  let hasEscapes = false;
  try {
    for await (const chunk of chunksOf(file)) {
      decoder.decode(chunk, { stream: true });
      hasEscapes ||= chunk.includes(ESCAPE);
    }
    decoder.decode();
  } catch {
    return false;
  }
  return !hasEscapes || !isIso2022Jp(await sampleForGuessing(file));
}

/** The sample begins shortly before the first byte outside ASCII: earlier lines tell little, none at all leave it too short. */
async function sampleForGuessing(file: FileHandle): Promise<Buffer> {
  let position = 0;
  for await (const chunk of chunksOf(file)) {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (byte < 0x80 && byte !== ESCAPE) continue;
      const from = Math.max(0, chunk.lastIndexOf(0x0a, at) + 1 - CONTEXT_BYTES);
      return readAt(file, position + from, SAMPLE_BYTES);
    }
    position += chunk.length;
  }
  return readAt(file, 0, SAMPLE_BYTES);
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(SAMPLE_BYTES * 4);
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function isIso2022Jp(sample: Buffer): boolean {
  return sample.includes("\u001b$B") || sample.includes("\u001b$@");
}

async function guess(sample: Buffer, hint: string | undefined): Promise<Charset | FileFailure> {
  if (isIso2022Jp(sample)) return { name: "iso-2022-jp", bomBytes: 0, confidence: 0.95, mayLoseBytes: true };
  if (isDamagedUtf8(sample)) return { name: "utf-8", bomBytes: 0, confidence: 0.5, mayLoseBytes: true };
  // Loaded only here: the models take 100 ms, and most files are UTF-8.
  const [{ default: iconv }, { guessCharset }] = await Promise.all([
    import("iconv-lite"),
    import("./guess-charset.ts"),
  ]);
  const named = hint?.trim().toLowerCase();
  if (
    named !== undefined &&
    !NAMED_BY_DEFAULT.includes(named) &&
    iconv.encodingExists(named) &&
    !iconv.decode(sample.subarray(0, -4), named).includes("\ufffd")
  )
    return { name: named, bomBytes: 0, confidence: 0.8, mayLoseBytes: true };

  const { encoding, confidence } = guessCharset(sample);
  if (encoding === null || !iconv.encodingExists(encoding))
    return failed("unknown_encoding", "the file is not UTF-8, and its encoding could not be detected");
  return { name: encoding.toLowerCase(), bomBytes: 0, confidence, mayLoseBytes: true };
}

const GOOD_FOR_EACH_BAD = 20;

/** Mostly sound UTF-8 with a few broken bytes is UTF-8 that somebody cut, not another charset. */
function isDamagedUtf8(sample: Buffer): boolean {
  const text = new TextDecoder("utf-8").decode(sample);
  let good = 0;
  let bad = 0;
  for (const character of text) {
    if (character === "\ufffd") bad += 1;
    else if (character > "\u007f") good += 1;
  }
  return good >= bad * GOOD_FOR_EACH_BAD && good > 0;
}
