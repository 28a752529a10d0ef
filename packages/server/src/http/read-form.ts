import type { Readable } from "node:stream";
import type { FormPart, FormStream } from "../platform/index.ts";
import { UnreadableBody } from "./json-body.ts";

const PARTS_MAX = 100;
const PART_HEADERS_MAX = 8_192;
const LINE_END = Buffer.from("\r\n");
const HEADERS_END = Buffer.from("\r\n\r\n");
const BOUNDARY = /;\s{0,9}boundary=(?:"([^"]{1,70})"|([\w'()+,./:=?-]{1,70}))/i;

/** A body of multipart/form-data (RFC 7578) before it is read. */
export class FormBody {
  readonly stream: Readable;
  readonly contentType: string;

  constructor(stream: Readable, contentType: string) {
    this.stream = stream;
    this.contentType = contentType;
  }

  /** What nobody read is thrown away, since a sender that nobody reads from never sees the refusal. */
  dispose(): void {
    this.stream.on("error", () => {}).resume();
  }
}

/** Reads part by part; of the body there is never more in memory than one piece of the stream. */
export async function* readForm({ stream, contentType }: FormBody): FormStream {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new UnreadableBody("the Content-Type names no boundary");
  const pieces = createPieces(stream);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary has no line end before it.
  pieces.putBack(LINE_END);
  for await (const _ of until(pieces, delimiter));
  for (let parts = 0; await isAnotherPart(pieces); parts += 1) {
    if (parts >= PARTS_MAX) throw new UnreadableBody(`the form has more than ${PARTS_MAX} parts`);
    const contents = until(pieces, delimiter);
    const { name, fileName } = readDisposition(await readHeaders(pieces));
    yield { name, fileName, contents } satisfies FormPart;
    for await (const _ of contents);
  }
}

interface Pieces {
  /** Bytes that have arrived and are not taken yet. */
  buffer: Buffer;
  /** Waits for more; false at the end. */
  more(): Promise<boolean>;
  putBack(bytes: Buffer): void;
}

function createPieces(stream: Readable): Pieces {
  const iterator = stream
    .iterator({ destroyOnReturn: false })
    [Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const pieces: Pieces = {
    buffer: Buffer.alloc(0),
    async more() {
      const next = await iterator.next();
      if (next.done === true) return false;
      pieces.buffer = pieces.buffer.length === 0 ? next.value : Buffer.concat([pieces.buffer, next.value]);
      return true;
    },
    putBack: (bytes) => void (pieces.buffer = Buffer.concat([bytes, pieces.buffer])),
  };
  return pieces;
}

/** The bytes up to the delimiter, which is passed over. A delimiter may be cut between two pieces. */
async function* until(pieces: Pieces, delimiter: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (;;) {
    const at = pieces.buffer.indexOf(delimiter);
    if (at !== -1) {
      const last = pieces.buffer.subarray(0, at);
      pieces.buffer = pieces.buffer.subarray(at + delimiter.length);
      if (last.length > 0) yield last;
      return;
    }
    const certain = Math.max(0, pieces.buffer.length - delimiter.length + 1);
    const piece = pieces.buffer.subarray(0, certain);
    pieces.buffer = pieces.buffer.subarray(certain);
    if (piece.length > 0) yield piece;
    if (!(await pieces.more())) throw new UnreadableBody("the form ends within a part");
  }
}

/** Behind a boundary: two dashes end the form. */
async function isAnotherPart(pieces: Pieces): Promise<boolean> {
  const line = await takeUntil(pieces, LINE_END, "--");
  if (line === undefined) return false;
  if (line.trim() !== "") throw new UnreadableBody("the form has a broken boundary");
  return true;
}

async function readHeaders(pieces: Pieces): Promise<string> {
  // A part may have no headers at all; a form's part needs one.
  return (await takeUntil(pieces, HEADERS_END)) ?? "";
}

/** A short text up to `end`, or undefined where it begins with `unless`. */
async function takeUntil(pieces: Pieces, end: Buffer, unless?: string): Promise<string | undefined> {
  for (;;) {
    if (unless !== undefined && pieces.buffer.subarray(0, unless.length).toString("latin1") === unless)
      return undefined;
    const at = pieces.buffer.subarray(0, PART_HEADERS_MAX).indexOf(end);
    if (at !== -1) {
      const text = pieces.buffer.subarray(0, at).toString("utf8");
      pieces.buffer = pieces.buffer.subarray(at + end.length);
      return text;
    }
    if (pieces.buffer.length >= PART_HEADERS_MAX)
      throw new UnreadableBody("a part of the form has too many headers");
    if (!(await pieces.more())) throw new UnreadableBody("the form ends within a part");
  }
}

const DISPOSITION = /^content-disposition[ \t]{0,9}:[ \t]{0,9}form-data\b(.{0,2000})$/im;
const NAME = /;\s{0,9}name="([^"\r\n]{0,200})"|;\s{0,9}name=([^\s;"]{1,200})/i;
const FILE_NAME = /;\s{0,9}filename="((?:[^"\\\r\n]|\\.){0,1000})"|;\s{0,9}filename=([^\s;"]{1,1000})/i;
const ENCODED_FILE_NAME = /;\s{0,9}filename\*=utf-8'[\w-]{0,20}'([^\s;]{1,1500})/i;

function readDisposition(headers: string): { name: string; fileName: string | undefined } {
  const parameters = DISPOSITION.exec(headers)?.[1] ?? "";
  const [, quoted, plain] = NAME.exec(parameters) ?? [];
  const name = quoted ?? plain;
  if (name === undefined) throw new UnreadableBody("a part of the form has no name");
  return { name, fileName: readFileName(parameters) };
}

/** Without folders: some clients send the whole path. */
function readFileName(parameters: string): string | undefined {
  const [, encoded] = ENCODED_FILE_NAME.exec(parameters) ?? [];
  const [, quoted, plain] = FILE_NAME.exec(parameters) ?? [];
  const written =
    encoded === undefined ? (quoted?.replaceAll(/\\(["\\])/g, "$1") ?? plain) : decoded(encoded);
  return written?.replaceAll("%22", '"').split(/[/\\]/).at(-1);
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
