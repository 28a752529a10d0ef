import { BYTE_ORDER_MARK, csvField, type RefusedRows } from "@signalbox/contract";

/** The refused rows as a spreadsheet opens them: where and why first, then the cells as they were. */
export function refusedCsv({ list }: RefusedRows, [line, column, why]: [string, string, string]): string {
  const rows = list.map((row) => [
    String(row.line ?? ""),
    row.column === undefined ? "" : columnName(row.column),
    row.detail,
    ...row.cells,
  ]);
  const text = [[line, column, why], ...rows].map((cells) => cells.map(csvField).join(",")).join("\r\n");
  return `${BYTE_ORDER_MARK}${text}\r\n`;
}

const LETTERS = 26;

/** As a spreadsheet names its columns: 1 is A, 27 is AA. */
export function columnName(column: number): string {
  const before = Math.floor((column - 1) / LETTERS);
  const letter = String.fromCodePoint(65 + ((column - 1) % LETTERS));
  return before === 0 ? letter : columnName(before) + letter;
}
