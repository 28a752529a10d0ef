/** Without it Excel takes UTF-8 for something else. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** A spreadsheet would compute a cell that begins like this. The full-width characters count in some of them. */
const FORMULA = /^'*\s*[=+\-@＝＋－＠]/;
const MARKED_FORMULA = /^'+\s*[=+\-@＝＋－＠]/;
const QUOTED = /[",\r\n]|^\s|\s$/;

/** A cell of a CSV file. An apostrophe before what would be a formula (CSV injection) marks it as text; `withoutTextMark` removes it. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What the cell says, as a spreadsheet would show it: the first apostrophe before a formula is not part of the text. */
export function withoutTextMark(cell: string): string {
  return MARKED_FORMULA.test(cell) ? cell.slice(1) : cell;
}
