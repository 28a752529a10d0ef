import { once } from "node:events";
import { createDeflateRaw, crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  /** A text that is there, or one that comes about while it is read. */
  content: string | AsyncIterable<string>;
}

interface Written {
  name: Buffer;
  crc: number;
  packed: number;
  plain: number;
  offset: number;
}

const BYTES_MAX = 0xff_ff_ff_ff;
/** Names are UTF-8; sizes follow the content, because they are not known before. */
const FLAGS = 0x08_08;
const DEFLATED = 8;
/** 1 January 1980, the first day an archive knows: two exports of the same pairs are the same file. */
const DATE = 0x00_21;

/** An archive as it is written: nothing of it is held but the piece at hand. */
export async function* zipStream(entries: ZipEntry[]): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const entry: Written = { name: Buffer.from(name), crc: 0, packed: 0, plain: 0, offset };
    const header = Buffer.concat([
      Buffer.from("PK\u0003\u0004", "latin1"),
      fieldsOf(entry, false),
      entry.name,
    ]);
    yield header;
    for await (const piece of typeof content === "string"
      ? packedAtOnce(content, entry)
      : packed(content, entry))
      yield piece;
    const descriptor = Buffer.alloc(16);
    descriptor.write("PK\u0007\u0008", 0, "latin1");
    descriptor.writeUInt32LE(entry.crc, 4);
    descriptor.writeUInt32LE(entry.packed, 8);
    descriptor.writeUInt32LE(entry.plain, 12);
    yield descriptor;
    written.push(entry);
    offset += header.length + entry.packed + descriptor.length;
  }
  yield directoryOf(written, offset);
}

function* packedAtOnce(content: string, entry: Written): Generator<Buffer> {
  const plain = Buffer.from(content);
  const deflated = deflateRawSync(plain);
  entry.crc = crc32(plain);
  entry.plain = plain.length;
  entry.packed = deflated.length;
  yield deflated;
}

async function* packed(content: AsyncIterable<string>, entry: Written): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw();
  const feeding = feed(content, entry, deflate).catch((error: unknown) => deflate.destroy(error as Error));
  for await (const piece of deflate) {
    entry.packed += (piece as Buffer).length;
    yield piece as Buffer;
  }
  await feeding;
  if (Math.max(entry.plain, entry.packed) > BYTES_MAX) throw new Error("a part of the archive is too large");
}

async function feed(
  content: AsyncIterable<string>,
  entry: Written,
  deflate: ReturnType<typeof createDeflateRaw>,
): Promise<void> {
  for await (const text of content) {
    const plain = Buffer.from(text);
    entry.crc = crc32(plain, entry.crc);
    entry.plain += plain.length;
    if (!deflate.write(plain)) await once(deflate, "drain");
  }
  deflate.end();
}

/** The fields of both headers of an entry; sizes only in the second. */
function fieldsOf({ name, crc, packed: packedBytes, plain }: Written, isKnown: boolean): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(FLAGS, 2);
  fields.writeUInt16LE(DEFLATED, 4);
  fields.writeUInt16LE(DATE, 8);
  if (isKnown) {
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(packedBytes, 14);
    fields.writeUInt32LE(plain, 18);
  }
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function directoryOf(entries: Written[], start: number): Buffer {
  const listed = entries.map((entry) => {
    const place = Buffer.alloc(14);
    place.writeUInt32LE(entry.offset, 10);
    return Buffer.concat([
      Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"),
      fieldsOf(entry, true),
      place,
      entry.name,
    ]);
  });
  const list = Buffer.concat(listed);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([list, end]);
}
