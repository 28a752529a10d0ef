import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { UsageError } from "../command.ts";

/** What becomes one document. */
export interface FileToImport {
  name: string;
  contents: Blob;
}

/** Each file that is named must be there before anything is done. */
export async function requireFiles(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) throw new UsageError("Missing a file");
  if (new Set(paths).size < paths.length) throw new UsageError("A file is named twice");
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) throw new UsageError(`File not found: ${path}`);
  }
}

export async function wholeFile(path: string): Promise<FileToImport> {
  return { name: basename(path), contents: new Blob([await readFile(path)]) };
}

/** A file as it is. Each document in an export as JSON becomes one again, under its name. */
export async function filesToImport(path: string): Promise<FileToImport[]> {
  const file = await wholeFile(path);
  const documents = extname(path).toLowerCase() === ".json" ? documentsIn(await file.contents.text()) : [];
  if (documents.length === 0) return [file];
  return documents.map((document) => ({
    name: document.doc_name,
    contents: new Blob([JSON.stringify({ documents: [document] })]),
  }));
}

interface ExportedDocument {
  doc_name: string;
  pairs: unknown[];
}

/** The documents of an export that have pairs. Any other JSON has none: it is sent as it is, and the service says what is wrong. */
function documentsIn(text: string): ExportedDocument[] {
  let written: { documents?: unknown } | null;
  try {
    written = JSON.parse(text) as typeof written;
  } catch {
    return [];
  }
  const documents = written?.documents;
  return Array.isArray(documents) && documents.every(isDocument)
    ? documents.filter(({ pairs }) => pairs.length > 0)
    : [];
}

function isDocument(value: unknown): value is ExportedDocument {
  const { doc_name, pairs } = (value ?? {}) as Partial<ExportedDocument>;
  return typeof doc_name === "string" && Array.isArray(pairs);
}
