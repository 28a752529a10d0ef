import { workbookOf } from "../office-files.ts";

/** A file of questions and answers in the shape that a product writes, with what is in it. */
export interface VendorFile {
  name: string;
  fileName: string;
  bytes: Buffer;
  /** Columns of questions and answers, from 1. Undefined: the file has no pairs, or nobody can tell where. */
  columns?: [question: number, answer: number];
  headerRows: number;
  /** Nobody could tell the columns without asking. */
  asks?: boolean;
}

type Shape = Pick<VendorFile, "columns" | "asks"> & { header?: number; as?: string; delimiter?: string };

const quoted = (cell: string, delimiter: string) =>
  /["\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Cells are divided by bars, which no cell here contains. */
const cellsOf = (rows: string[]) =>
  rows.map((row) => row.split("|").map((cell) => cell.replaceAll("\\n", "\n")));

export function table(
  name: string,
  rows: string[],
  { delimiter = ",", header = 1, as, ...rest }: Shape,
): VendorFile {
  const fileName = as ?? `${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}.csv`;
  const cells = cellsOf(rows);
  const bytes = fileName.endsWith(".xlsx")
    ? workbookOf({ Sheet1: cells })
    : Buffer.from(
        cells.map((row) => row.map((cell) => quoted(cell, delimiter)).join(delimiter)).join("\r\n"),
      );
  return { name, fileName, bytes, headerRows: header, ...rest };
}
