/** Without it Excel takes UTF-8 for something else. */
export const BYTE_ORDER_MARK = "\uFEFF";

/**
 * A spreadsheet would compute a cell that begins like this. The full-width characters count in some of them. A cell also
 * begins at a semicolon, tab or line break within ours, where a spreadsheet takes those for delimiters, as German Excel does.
 */
const FORMULA =
  /^('*[^\S\t\r\n]*[=+\-@＝＋－＠])|([;\t])('*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])|([\r\n])('*(?:[^\S\t\r\n]|")*(?:[=@＝＠]|[+\-＋－](?! )))/g;
/** The same, marked. At the start of a line, "- " and "+ " are items of a list and never marked. */
const MARKED_FORMULA =
  /^'('*[^\S\t\r\n]*[=+\-@＝＋－＠])|([;\t])'('*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])|([\r\n])'('*(?:[^\S\t\r\n]|")*(?:[=@＝＠]|[+\-＋－](?! )))/g;
const QUOTED = /[",;\t\r\n]|^\s|\s$/;

/** A cell of a CSV file. An apostrophe before what would be a formula (CSV injection) marks it as text; `withoutTextMark` removes it. */
export function csvField(text: string): string {
  const safe = text.replaceAll(FORMULA, "$2$4'$1$3$5");
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What the cell says, as a spreadsheet would show it: an apostrophe before a formula is not part of the text. */
export function withoutTextMark(cell: string): string {
  return cell.replaceAll(MARKED_FORMULA, "$2$4$1$3$5");
}

/** Text between backticks is read as it is. */
const BACKTICKED = /`[^`\n]*`/g;
const TAG = /<\/?[a-z][a-z\d]*[\s/>]/i;
const ENTITY = /&(?:#|[a-z])[a-z\d]{0,25};/i;

/** A cell of an export. An import takes HTML in cells for Markdown: a text that looks like HTML, and means itself, is written with entities. */
export function literalCell(text: string): string {
  const bare = text.replaceAll(BACKTICKED, "");
  const looksLikeHtml = TAG.test(bare) || (bare.includes("&") && ENTITY.test(text));
  return looksLikeHtml ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") : text;
}
