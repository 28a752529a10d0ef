import { CHUNK_TOKEN_DEFAULT, type UploadPreview, type UploadReading } from "@signalbox/contract";
import type { FileOnDisk } from "../intake/download.ts";
import { extractFile } from "../intake/extract/extract-file.ts";
import { findFileKind, holdsPairs } from "../intake/file-kind.ts";
import type { IncomingPair } from "../intake/incoming-pair.ts";
import type { IntakeLimits } from "../intake/limits.ts";
import type { FileFailure } from "../intake/outcome.ts";
import { readColumns, showColumns } from "../intake/qa/count-columns.ts";
import { readQaFile, type QaFileReport } from "../intake/qa/read-qa-file.ts";

const NOTHING: UploadPreview = {
  reads_as: null,
  failure: null,
  encoding: null,
  delimiter: null,
  header_rows: null,
  columns: null,
  certain: true,
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

/** How a file is to be read, wherever it goes afterwards. */
export type AskedReading = Partial<Pick<UploadReading, "header_rows" | "delimiter" | "columns">>;

interface Previewed {
  preview: UploadPreview;
  pairs: IncomingPair[];
}

/** What an import would make of a file. No database is asked and nothing is stored. */
export async function readPreview(
  file: FileOnDisk,
  asked: AskedReading,
  limits: IntakeLimits,
): Promise<Previewed> {
  const kind = await findFileKind(file);
  if (typeof kind !== "string") return { preview: failedPreview(kind), pairs: [] };
  return holdsPairs(kind) ? readTable(file, asked, limits) : readDocument(file, asked, limits);
}

async function readTable(
  file: FileOnDisk,
  { header_rows, delimiter, columns }: AskedReading,
  limits: IntakeLimits,
): Promise<Previewed> {
  const pairs: IncomingPair[] = [];
  const report = await readQaFile(
    file,
    {
      headerRow: header_rows ?? undefined,
      splitter: delimiter ?? undefined,
      columns: readColumns(columns),
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
  return {
    ...NOTHING,
    reads_as: "pairs",
    encoding: report.encoding,
    delimiter: report.delimiter === "" ? null : report.delimiter,
    header_rows: report.headerRows,
    columns: showColumns(report.columns),
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

async function readDocument(
  file: FileOnDisk,
  { delimiter }: AskedReading,
  limits: IntakeLimits,
): Promise<Previewed> {
  const splitter = delimiter ?? undefined;
  const extracted = await extractFile(file, { splitter, chunkToken: CHUNK_TOKEN_DEFAULT, limits });
  if (extracted.kind === "failed")
    return { preview: { ...failedPreview(extracted), reads_as: "document" }, pairs: [] };
  const { pairs, chunks, problems } = extracted;
  const counted = { pairs: pairs.length, rows_read: pairs.length, sections: chunks.length };
  return { preview: { ...NOTHING, reads_as: "document", ...counted, problems }, pairs };
}

export function failedPreview(failure: FileFailure): UploadPreview {
  const { cause, detail, line, problems = [], sample = [], table } = failure;
  return {
    ...NOTHING,
    ...(table !== undefined && {
      header_rows: table.headerRows,
      columns: showColumns(table.columns),
      certain: false,
    }),
    failure: { cause, detail, line: line ?? null },
    rows: sample.map(({ line: at, fields }) => ({ line: at, cells: fields })),
    problems,
  };
}
