import { open } from "node:fs/promises";
import { extname } from "node:path";
import { openPromise } from "yauzl";
import { failed, type FileFailure } from "./outcome.ts";

export type FileKind = "csv" | "xlsx" | "json" | "docx" | "pdf" | "html" | "md" | "txt";

/** Each row is a pair in these files; any other file is converted into pairs. */
const KINDS_OF_PAIRS: readonly FileKind[] = ["csv", "xlsx", "json"];

export function holdsPairs(kind: FileKind): boolean {
  return KINDS_OF_PAIRS.includes(kind);
}

const BY_MAGIC: Record<string, FileKind> = { pdf: "pdf", docx: "docx", xlsx: "xlsx" };

const BY_EXTENSION: Record<string, FileKind> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".tab": "csv",
  ".json": "json",
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
  "application/json": "json",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/markdown": "md",
  "text/plain": "txt",
};

const HEAD_BYTES = 4_096;

// oxlint-disable-next-line no-control-regex -- control characters are what tells the two apart
const NOT_TEXT = /^%PDF|^\{\\rtf|[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** A document of an export keeps its name when it comes back, such as manual.pdf. */
const EXPORT_START = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"documents"\s*:\s*\[/;

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
  if (EXPORT_START.test(head.toString("latin1"))) return "json";
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

/** Plain text needs no list of signatures, which takes 100 ms to load. */
async function magicOf(path: string, head: Buffer): Promise<string | undefined> {
  const start = head.toString("latin1");
  if (start.startsWith("PK\u0003\u0004")) return kindOfZip(path);
  if (!NOT_TEXT.test(start)) return undefined;
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(head))?.ext;
}

const ZIP_ENTRIES_MAX = 2_000;
const KIND_OF_PART: Record<string, string> = {
  "word/document.xml": "docx",
  "xl/workbook.xml": "xlsx",
  "ppt/presentation.xml": "pptx",
};

/** By its directory alone: nothing is unpacked to find out. */
async function kindOfZip(path: string): Promise<string> {
  try {
    const zip = await openPromise(path, { autoClose: false });
    try {
      let entries = 0;
      for await (const { fileName } of zip.eachEntry()) {
        const kind = KIND_OF_PART[fileName];
        entries += 1;
        if (kind !== undefined) return kind;
        if (entries >= ZIP_ENTRIES_MAX) break;
      }
    } finally {
      zip.close();
    }
  } catch {
    return "damaged zip";
  }
  return "zip";
}

function isText(extension: string): boolean {
  return extension === "xml" || extension === "txt";
}

function looksLikeHtml(head: Buffer): boolean {
  const text = head.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  return /^\s*(?:<!--[^>]*-->\s*)*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b/i.test(text);
}
