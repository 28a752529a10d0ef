import { failed, type FileFailure } from "../outcome.ts";
import { namesBothColumns } from "./columns.ts";

/** As many as `header_row` may say. */
const HEADER_ROWS_MAX = 5;

interface Row {
  fields: string[];
  line: number;
}

/**
 * The line of the row that names both columns, among the first that hold anything; rows of one cell above it are titles.
 * Undefined: the file has no header. A failure where rows above could be pairs, because then the header may be data.
 */
export function findHeader(rows: readonly Row[]): number | undefined | FileFailure {
  const first: Row[] = [];
  for (const row of rows) {
    if (filledCells(row) === 0) continue;
    if (namesBothColumns(row.fields)) {
      const pair = first.find((above) => filledCells(above) > 1);
      return pair === undefined ? row.line : ambiguous(row, pair);
    }
    first.push(row);
    if (first.length === HEADER_ROWS_MAX) break;
  }
  return undefined;
}

function filledCells({ fields }: Row): number {
  return fields.filter((field) => field.trim() !== "").length;
}

function ambiguous(header: Row, pair: Row): FileFailure {
  const detail = `line ${header.line} names the columns, but line ${pair.line} above it could be a pair: say with header_row how many rows are headers`;
  return failed("header_not_first", detail, header.line);
}
