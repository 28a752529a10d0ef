import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  CHUNK_TOKEN_DEFAULT,
  type UploadColumns,
  type UploadPreview,
  type UploadReading,
} from "@signalbox/contract";
import type { IngestParts } from "../documents/ingest-parts.ts";
import {
  extractFile,
  findFileKind,
  readQaFile,
  type Columns,
  type FileFailure,
  type FileOnDisk,
  type IncomingPair,
  type IntakeLimits,
  type QaFileReport,
} from "../intake/index.ts";
import { compareWithBase } from "./compare-with-base.ts";
import { claimPreview, keepPreview, writeUpload } from "./upload-store.ts";

const ATTEMPTS_MAX = 3;
const PROBLEMS_MAX = 200;
const PAIRS_SHOWN = 10;
const ANSWER_SHOWN_CHARACTERS = 500;

type PreviewParts = Pick<IngestParts, "db" | "directory" | "limits">;

const NOTHING: UploadPreview = {
  reads_as: null,
  failure: null,
  encoding: null,
  delimiter: null,
  header_rows: null,
  columns: null,
  rows: [],
  rows_read: 0,
  pairs: 0,
  rejected: 0,
  duplicates: 0,
  blank: 0,
  conflicts: 0,
  sections: 0,
  problems: [],
  first_pairs: [],
  existing: { same: 0, contradictions: 0, examples: [] },
};

/** Reads an uploaded file as an import would, and keeps what came of it instead of the pairs. True: another one was asked for. */
export async function makePreview(parts: PreviewParts, agentId: string, uploadId: string): Promise<boolean> {
  const { db, directory } = parts;
  const claimed = await claimPreview(db, agentId, uploadId);
  if (claimed === undefined) return false;
  const own = await mkdtemp(join(directory, "signalbox-preview-"));
  try {
    const file =
      claimed.attempts > ATTEMPTS_MAX
        ? failureOf("gave_up", `the file could not be read in ${ATTEMPTS_MAX} attempts`)
        : await writeUpload(db, { agentId, ...claimed }, own);
    if (file === undefined) return false;
    const preview =
      "kind" in file ? failedPreview(file) : await previewFile(parts, agentId, file, claimed.options);
    await keepPreview(db, agentId, claimed, preview);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return true;
}

function failureOf(cause: string, detail: string): FileFailure {
  return { kind: "failed", cause, detail };
}

async function previewFile(
  parts: PreviewParts,
  agentId: string,
  file: FileOnDisk,
  options: UploadReading,
): Promise<UploadPreview> {
  const kind = await findFileKind(file);
  if (typeof kind !== "string") return failedPreview(kind);
  const limits = { ...parts.limits, problemsMax: PROBLEMS_MAX };
  const { preview, pairs } = await (kind === "csv" || kind === "xlsx"
    ? previewTable(file, options, limits)
    : previewDocument(file, limits));
  const existing = await compareWithBase(parts.db, agentId, options, pairs);
  return { ...preview, first_pairs: pairs.slice(0, PAIRS_SHOWN).map(shownPair), existing };
}

interface Previewed {
  preview: UploadPreview;
  pairs: IncomingPair[];
}

async function previewTable(
  file: FileOnDisk,
  { header_rows, delimiter, columns }: UploadReading,
  limits: IntakeLimits,
): Promise<Previewed> {
  const pairs: IncomingPair[] = [];
  const report = await readQaFile(
    file,
    {
      headerRow: header_rows ?? undefined,
      splitter: delimiter ?? undefined,
      columns: columns === undefined || columns === null ? undefined : readColumns(columns),
      limits,
    },
    (batch) => {
      pairs.push(...batch);
      return Promise.resolve();
    },
  );
  if (report.kind === "failed")
    return { preview: { ...failedPreview(report), reads_as: "pairs" }, pairs: [] };
  return { preview: tablePreview(report), pairs };
}

function tablePreview(report: QaFileReport): UploadPreview {
  const { question, answer, alternates, tags } = report.columns;
  return {
    ...NOTHING,
    reads_as: "pairs",
    encoding: report.encoding,
    delimiter: report.delimiter === "" ? null : report.delimiter,
    header_rows: report.headerRows,
    columns: {
      question: question + 1,
      answer: answer + 1,
      alternates: alternates.map((column) => column + 1),
      tags: tags === undefined ? null : tags + 1,
    },
    rows: report.sample.map(({ line, fields }) => ({ line, cells: fields })),
    rows_read: report.rowsRead,
    pairs: report.pairs,
    rejected: report.rejected,
    duplicates: report.duplicates,
    blank: report.blank,
    conflicts: report.conflicts,
    problems: report.problems,
  };
}

async function previewDocument(file: FileOnDisk, limits: IntakeLimits): Promise<Previewed> {
  const extracted = await extractFile(file, { splitter: undefined, chunkToken: CHUNK_TOKEN_DEFAULT, limits });
  if (extracted.kind === "failed")
    return { preview: { ...failedPreview(extracted), reads_as: "document" }, pairs: [] };
  const { pairs, chunks, problems } = extracted;
  const counted = { pairs: pairs.length, rows_read: pairs.length, sections: chunks.length };
  return { preview: { ...NOTHING, reads_as: "document", ...counted, problems }, pairs };
}

function failedPreview({ cause, detail, line, problems = [], sample = [] }: FileFailure): UploadPreview {
  return {
    ...NOTHING,
    failure: { cause, detail, line: line ?? null },
    rows: sample.map(({ line: at, fields }) => ({ line: at, cells: fields })),
    problems,
  };
}

/** People count columns from 1. */
export function readColumns({ question, answer, alternates, tags }: UploadColumns): Columns {
  return {
    question: question - 1,
    answer: answer - 1,
    alternates: alternates.map((column) => column - 1),
    ...(tags === undefined || tags === null ? {} : { tags: tags - 1 }),
  };
}

function shownPair({ question, answer }: IncomingPair): { question: string; answer: string } {
  return { question, answer: answer.slice(0, ANSWER_SHOWN_CHARACTERS) };
}
