import readWorkbook from "read-excel-file/universal";
import type { IntakeLimits } from "../limits.ts";
import { failed, type FileFailure, type FileProblem } from "../outcome.ts";
import { packZip, unpackZip } from "../unpack-zip.ts";
import { namesBothColumns } from "./find-columns.ts";
import { findTable } from "./find-table.ts";
import type { JudgedRow } from "./row-judge.ts";

export interface Sheet {
  name: string;
  rows: JudgedRow[];
}

/** Pictures, charts and macros are not unpacked. */
const isSheetPart = (name: string) => name.endsWith(".xml") || name.endsWith(".rels");

export async function readSheets(
  path: string,
  { unpackedBytesMax }: Pick<IntakeLimits, "unpackedBytesMax">,
): Promise<{ kind: "sheets"; sheets: Sheet[] } | FileFailure> {
  const unpacked = await unpackZip(path, isSheetPart, unpackedBytesMax);
  if (unpacked.kind === "failed") return unpacked;
  try {
    const packed = packZip(unpacked.parts);
    unpacked.parts.clear();
    const read = await readWorkbook(toArrayBuffer(packed), { trim: false });
    const sheets = read.map(({ sheet, data }) => ({
      name: sheet,
      rows: data.map((cells, index) => ({ fields: cells.map(cellText), line: index + 1 })),
    }));
    return { kind: "sheets", sheets };
  } catch (error) {
    return failed(
      "unreadable",
      `the workbook cannot be read: ${error instanceof Error ? error.message : ""}`,
    );
  }
}

/** The sheets that name their columns; where none does, the first that holds anything. */
export async function readWorkbookRows(job: {
  path: string;
  headerRow: number | undefined;
  limits: IntakeLimits;
}): Promise<{ kind: "rows"; rows: JudgedRow[]; problems: FileProblem[] } | FileFailure> {
  const read = await readSheets(job.path, job.limits);
  if (read.kind === "failed") return read;
  const filled = read.sheets.filter(({ rows }) =>
    rows.some(({ fields }) => fields.some((field) => field !== "")),
  );
  const chosen =
    filled.find(({ rows }) => rows.some(({ fields }) => namesBothColumns(fields))) ??
    filled.find(({ rows }) => hasHeader(findTable(rows, { headerRow: undefined, width: Infinity }))) ??
    filled[0];
  if (chosen === undefined) return failed("no_rows", "the workbook contains no rows");
  if (!chosen.rows.some(({ fields }) => fields.length >= 2))
    return failed("no_answer_column", "the sheet has only one column; put the answers in a second one");
  const problems = filled
    .filter((sheet) => sheet !== chosen)
    .map(({ name }) => ({
      cause: "sheet_ignored",
      detail: `the sheet "${name}" was ignored; "${chosen.name}" was read`,
    }));
  return { kind: "rows", rows: chosen.rows, problems };
}

function hasHeader(table: ReturnType<typeof findTable>): boolean {
  return table.kind === "table" && table.headerLine !== undefined;
}

function toArrayBuffer(buffer: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(buffer.length);
  new Uint8Array(copy).set(buffer);
  return copy;
}

function cellText(value: string | number | boolean | object | null): string {
  if (value === null) return "";
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, "");
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return typeof value === "object" ? "" : String(value);
}
