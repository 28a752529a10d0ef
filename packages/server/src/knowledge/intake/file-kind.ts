import { open } from "node:fs/promises";
import { extname } from "node:path";
import { failed, type FileFailure } from "./outcome.ts";

export type FileKind = "csv" | "xlsx" | "docx" | "pdf" | "html" | "md" | "txt";

const BY_MAGIC: Record<string, FileKind> = { pdf: "pdf", docx: "docx", xlsx: "xlsx", xlsm: "xlsx" };

const BY_EXTENSION: Record<string, FileKind> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".tab": "csv",
  ".htm": "html",
  ".html": "html",
  ".xhtml": "html",
  ".md": "md",
  ".markdown": "md",
  ".txt": "txt",
  ".text": "txt",
};

const BY_CONTENT_TYPE: Record<string, FileKind> = {
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/markdown": "md",
  "text/plain": "txt",
};

const HEAD_BYTES = 4_096;

// oxlint-disable-next-line no-control-regex -- control characters are what tells the two apart
const NOT_TEXT = /^%PDF|^\{\\rtf|[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

const ADVICE: Record<string, string> = {
  cfb: "an old Office format: save it as docx or xlsx",
  zip: "a zip archive: send the files in it one by one",
  gz: "compressed: send it unpacked",
};

/** What the bytes say wins, then the name, then what the server called it. */
export async function findFileKind(file: {
  path: string;
  fileName: string;
  contentType: string | undefined;
}): Promise<FileKind | FileFailure> {
  const head = await readHead(file.path);
  if (head.length === 0) return failed("empty", "the file is empty");
  const magic = await magicOf(file.path, head);
  if (magic !== undefined && !isText(magic)) {
    const kind = BY_MAGIC[magic];
    if (kind !== undefined) return kind;
    return failed("wrong_type", `the file is ${ADVICE[magic] ?? `of type ${magic}, which cannot be read`}`);
  }
  if (looksLikeHtml(head)) return "html";
  const mime = file.contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return BY_EXTENSION[extname(file.fileName).toLowerCase()] ?? BY_CONTENT_TYPE[mime] ?? "txt";
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Only a zip needs more than its head: what lies in it says which kind it is. */
async function magicOf(path: string, head: Buffer): Promise<string | undefined> {
  // Plain text needs no list of signatures, which takes 100 ms to load.
  if (!NOT_TEXT.test(head.toString("latin1"))) return undefined;
  const { fileTypeFromBuffer, fileTypeFromFile } = await import("file-type");
  const isZip = head.subarray(0, 4).toString("latin1") === "PK\u0003\u0004";
  try {
    return (isZip ? await fileTypeFromFile(path) : await fileTypeFromBuffer(head))?.ext;
  } catch {
    return isZip ? "zip" : undefined;
  }
}

function isText(extension: string): boolean {
  return extension === "xml" || extension === "txt";
}

function looksLikeHtml(head: Buffer): boolean {
  const text = head.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  return /^\s*(?:<!--[^>]*-->\s*)*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b/i.test(text);
}
