import { createReadStream } from "node:fs";
import type { Charset } from "./charset.ts";

const CHUNK_BYTES = 262_144;
const BY_TEXT_DECODER = ["utf-8", "utf-16le", "utf-16be", "iso-2022-jp"];

/** The file's text in pieces. U+0000 is dropped: PostgreSQL cannot store it, and nobody can read it. */
export async function* decodeFile(
  path: string,
  { name, bomBytes }: Pick<Charset, "name" | "bomBytes">,
): AsyncGenerator<string> {
  const decoder = await createDecoder(name);
  for await (const bytes of createReadStream(path, { start: bomBytes, highWaterMark: CHUNK_BYTES }))
    yield withoutNul(decoder.write(bytes as Buffer));
  yield withoutNul(decoder.end());
}

export async function readText(path: string, charset: Charset): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of decodeFile(path, charset)) pieces.push(piece);
  return pieces.join("");
}

interface Decoder {
  write(bytes: Buffer): string;
  end(): string;
}

async function createDecoder(name: string): Promise<Decoder> {
  if (BY_TEXT_DECODER.includes(name)) {
    const decoder = new TextDecoder(name, { ignoreBOM: true });
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const { default: iconv } = await import("iconv-lite");
  const decoder = iconv.getDecoder(name);
  return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? "" };
}

function withoutNul(text: string): string {
  return text.includes("\u0000") ? text.replaceAll("\u0000", "") : text;
}
