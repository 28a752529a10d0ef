import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { QaChunk, readWire } from "@signalbox/contract";
import type { FileFailure, FileProblem, IncomingPair } from "@signalbox/server/qa-files";
import { UsageError } from "../command.ts";
import { findCompanion } from "../companions.ts";
import { NO_SERVER } from "../server-program.ts";

export interface ReadDocument {
  name: string;
  pairs: QaChunk[];
}

export interface RowCounts {
  rows_read: number;
  pairs: number;
  rejected: number;
  duplicates: number;
  conflicts: number;
  blank: number;
}

/** What a file holds; `failure` says why it gives nothing. */
export interface FileReading {
  documents: ReadDocument[];
  counts: RowCounts;
  problems: FileProblem[];
  encoding?: string;
  delimiter?: string;
  failure?: FileFailure;
}

export interface ReadingOptions {
  headerRow: number | undefined;
  splitter: string | undefined;
  onPairs: (count: number) => void;
}

const NOTHING: RowCounts = { rows_read: 0, pairs: 0, rejected: 0, duplicates: 0, conflicts: 0, blank: 0 };

/** Each file that is named must be there before anything is done. */
export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`File not found: ${path}`);
}

export function readPairs(path: string, options: ReadingOptions): Promise<FileReading> {
  return extname(path).toLowerCase() === ".json" ? readExport(path) : readTable(path, options);
}

/** By the reader of the service, so that a row that is a pair here is one there. */
async function readTable(
  path: string,
  { headerRow, splitter, onPairs }: ReadingOptions,
): Promise<FileReading> {
  // Loaded where it is needed: without the service beside it, the command line does all the rest.
  const { INTAKE_LIMITS, readQaFile } = await loadReader();
  const fileName = basename(path);
  const { size: sizeBytes } = await stat(path);
  const pairs: QaChunk[] = [];
  const report = await readQaFile(
    { path, fileName, sizeBytes, contentType: undefined },
    { headerRow, splitter, limits: { ...INTAKE_LIMITS, problemsMax: INTAKE_LIMITS.pairsMax } },
    (batch) => {
      pairs.push(...batch.map(chunkOf));
      onPairs(pairs.length);
      return Promise.resolve();
    },
  );
  if (report.kind === "failed")
    return { documents: [], counts: NOTHING, problems: report.problems ?? [], failure: report };
  const { rowsRead, rejected, duplicates, conflicts, blank, problems, encoding, delimiter } = report;
  return {
    documents: [{ name: fileName, pairs }],
    counts: { rows_read: rowsRead, pairs: report.pairs, rejected, duplicates, conflicts, blank },
    problems,
    encoding,
    delimiter,
  };
}

async function loadReader(): Promise<typeof import("@signalbox/server/qa-files")> {
  const file = findCompanion("@signalbox/server/qa-files");
  if (file === undefined) throw new UsageError(NO_SERVER);
  return (await import(pathToFileURL(file).href)) as typeof import("@signalbox/server/qa-files");
}

function chunkOf({ question, answer, alternates, tags }: IncomingPair): QaChunk {
  return { question, answer, keywords: alternates, ...(tags !== undefined && { tags }) };
}

/** What `qa export --json` wrote: documents by their names, with their pairs word for word. */
async function readExport(path: string): Promise<FileReading> {
  const documents: ReadDocument[] = [];
  const problems: FileProblem[] = [];
  const counts = { ...NOTHING };
  const written = documentsIn(await readFile(path, "utf8"));
  for (const { doc_name, pairs: entries } of written ?? []) {
    const pairs: QaChunk[] = [];
    for (const [index, entry] of entries.entries()) {
      const read = readWire(QaChunk, entry);
      if (read.ok) pairs.push(read.value);
      else
        problems.push({
          cause: "not_a_pair",
          detail: `pair ${index + 1} of "${doc_name}": ${read.problem}`,
        });
    }
    counts.rows_read += entries.length;
    counts.pairs += pairs.length;
    if (pairs.length > 0) documents.push({ name: doc_name, pairs });
  }
  counts.rejected = problems.length;
  if (documents.length > 0) return { documents, counts, problems };
  const failure: FileFailure =
    written === undefined
      ? { kind: "failed", cause: "not_an_export", detail: "the file contains no documents with pairs" }
      : { kind: "failed", cause: "no_pairs", detail: "the file contains no pairs" };
  return { documents, counts, problems, failure };
}

interface WrittenDocument {
  doc_name: string;
  pairs: unknown[];
}

function documentsIn(text: string): WrittenDocument[] | undefined {
  let written: { documents?: unknown } | null;
  try {
    written = JSON.parse(text) as typeof written;
  } catch {
    return undefined;
  }
  const documents = written?.documents;
  return Array.isArray(documents) && documents.every(isDocument) ? documents : undefined;
}

function isDocument(value: unknown): value is WrittenDocument {
  const { doc_name, pairs } = (value ?? {}) as Partial<WrittenDocument>;
  return typeof doc_name === "string" && Array.isArray(pairs);
}
