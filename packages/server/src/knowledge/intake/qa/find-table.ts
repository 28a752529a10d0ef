import { failed, type FileFailure, type FoundColumns } from "../outcome.ts";
import { findColumns, findHeader } from "./find-columns.ts";

/** Counted from 0. */
export interface Columns {
  question: number;
  answer: number;
  alternates: number[];
  tags?: number | undefined;
}

export interface Table {
  kind: "table";
  /** The line of the header where one was found; rows above it are titles. */
  headerLine: number | undefined;
  columns: Columns;
}

interface Row {
  fields: string[];
  line: number;
}

export interface TableRules {
  /** Number of leading header rows, as the caller said it. */
  headerRow: number | undefined;
  /** As somebody chose them. */
  columns?: Columns | undefined;
  width: number;
}

/** How the first rows of a file say it is to be read, or the question that somebody has to answer. */
export function findTable(
  rows: readonly Row[],
  { headerRow, columns, width }: TableRules,
): Table | FileFailure {
  const headerLine = headerRow === undefined ? findHeader(rows) : undefined;
  if (typeof headerLine === "object") return { ...headerLine, table: { columns: NOTHING, headerRows: 0 } };
  if (columns !== undefined) return { kind: "table", headerLine, columns };
  const headerRows =
    headerRow ?? rows.filter(({ line, fields }) => line <= (headerLine ?? 0) && !isBlank(fields)).length;
  const at = headerRow === undefined ? rows.findIndex(({ line }) => line === headerLine) : headerRow - 1;
  const header = rows[at]?.fields;
  const body = rows.slice(at + 1).map(({ fields }) => fields);
  const found = findColumns({ header, isHeaderGiven: headerRow !== undefined, body, width });
  const { question, answer } = found;
  if (question !== undefined && answer !== undefined)
    return { kind: "table", headerLine, columns: { ...found, question, answer } };
  const detail = `it is not certain which columns hold the questions and the answers: ${describe(header, body)}. Name them with columns, counted from 1`;
  return { ...failed("columns_unclear", detail), table: { columns: found, headerRows } };
}

const NOTHING: FoundColumns = { question: undefined, answer: undefined, alternates: [], tags: undefined };

function isBlank(fields: readonly string[]): boolean {
  return fields.every((field) => field.trim() === "");
}

const COLUMNS_TOLD = 12;
const CELL_CHARACTERS_TOLD = 30;

/** 1 "Article ID" (1000), 2 "Title" (Refunds). */
function describe(header: readonly string[] | undefined, body: readonly string[][]): string {
  const count = Math.max(header?.length ?? 0, ...body.slice(0, 100).map(({ length }) => length));
  const told = Array.from({ length: Math.min(count, COLUMNS_TOLD) }, (_, index) => {
    const name = shown(header?.[index] ?? "");
    const sample = shown(body.find((fields) => (fields[index] ?? "").trim() !== "")?.[index] ?? "");
    return [String(index + 1), name === "" ? [] : `"${name}"`, sample === "" ? [] : `(${sample})`]
      .flat()
      .join(" ");
  });
  return `${told.join(", ")}${count > COLUMNS_TOLD ? `, and ${count - COLUMNS_TOLD} more` : ""}`;
}

function shown(cell: string): string {
  const line = cell
    .trim()
    .slice(0, CELL_CHARACTERS_TOLD * 2)
    .replaceAll(/\s+/g, " ");
  return line.length <= CELL_CHARACTERS_TOLD ? line : `${line.slice(0, CELL_CHARACTERS_TOLD)}…`;
}
