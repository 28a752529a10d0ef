import { isQuestion } from "../extract/question.ts";

/** What the cells of one column are, by their form alone. */
export type ContentKind =
  | "text"
  | "empty"
  | "number"
  | "code"
  | "date"
  | "locale"
  | "link"
  | "flag"
  | "category"
  | "json";

export interface ColumnContent {
  kind: ContentKind;
  /** Share of rows with anything in this column. */
  filled: number;
  /** Share of filled cells that end as a question ends. */
  asking: number;
  /** Share of filled cells that are sentences or longer. */
  prose: number;
  medianCharacters: number;
}

/** Without its blanks. */
const NUMBER = /^[#№]?[-+]?[$€£¥]?\d[\d.,'’]*[%$€£¥]?\.?$/;
const CODE =
  /^(?=.*\d)[A-Za-z]{0,12}[-_.#:/]?[\dA-Fa-f]+(?:[-_.:/][\dA-Za-z]+)*$|^(?=.*\d)[\w-]{16,}$|^[a-z0-9]+(?:[-_][a-z0-9]+)+$|^[a-z]+(?:[._][a-z0-9]+)+$/;
const DATE =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}年\d{1,2}月\d{1,2}日?|\d{4}\s?년.*일)(?:[T ,]+\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[AP]M)?\s?(?:Z|UTC|GMT|[-+]\d{2}:?\d{2})?)?$/i;
const DATE_IN_WORDS =
  /^(?:\p{L}{2,9}\.?,?\s+)?(?:\d{1,2}\.?\s+(?:de\s+)?\p{L}{3,10}\.?,?|\p{L}{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?)\s+(?:de\s+)?\d{4}(?:[ ,at]+\d{1,2}:\d{2}.*)?$/u;
const LINK = /^(?:https?:\/\/|www\.|\/[\w-]+(?:\/|$)|mailto:)\S*$|^[\w.+-]+@[\w-]+\.[\w.]+$/i;
const FLAG = /^(?:true|false|yes|no|y|n|ja|nein|oui|non|si|是|否|published|draft|archived|active|inactive)$/i;
const JSON_VALUE = /^(?:\{.*\}|\[.*\])$/s;
const LOCALE = /^([a-z]{2,3})(?:[-_](?:[a-z]{2}|[a-z]{4}|\d{3}))?$/i;
const LANGUAGES = new Set(
  "ar,bg,bn,ca,cs,da,de,el,en,es,et,fa,fi,fil,fr,he,hi,hr,hu,id,it,ja,ko,lt,lv,ms,nb,nl,no,pl,pt,ro,ru,sk,sl,sr,sv,ta,th,tr,uk,ur,vi,zh".split(
    ",",
  ),
);
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Cells of this form alone make a column that nobody asks or answers with. */
const MOST = 0.8;
const CELL_CHARACTERS_MAX = 400;
const CATEGORY_CHARACTERS_MAX = 40;
const NAME_CHARACTERS_MAX = 120;

export function contentOf(cells: readonly string[]): ColumnContent {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const share = (is: (cell: string) => boolean) =>
    filled.length === 0 ? 0 : filled.filter(is).length / filled.length;
  const lengths = filled.map(({ length }) => length).toSorted((one, other) => one - other);
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
  return {
    kind: kindOf(filled, median),
    filled: cells.length === 0 ? 0 : filled.length / cells.length,
    asking: share(asks),
    prose: share(isProse),
    medianCharacters: median,
  };
}

function kindOf(filled: string[], median: number): ContentKind {
  if (filled.length === 0) return "empty";
  const counts = new Map<ContentKind, number>();
  for (const cell of filled) counts.set(cellKind(cell), (counts.get(cellKind(cell)) ?? 0) + 1);
  if ((counts.get("text") ?? 0) <= filled.length * (1 - MOST)) {
    const [[kind] = ["text" as const]] = [...counts].toSorted((one, other) => other[1] - one[1]);
    if (kind !== "text") return kind;
  }
  return isCategory(filled, median) ? "category" : "text";
}

function cellKind(cell: string): ContentKind {
  if (cell.length > CELL_CHARACTERS_MAX) return JSON_VALUE.test(cell) ? "json" : "text";
  if (NUMBER.test(cell.replaceAll(/\s/g, ""))) return "number";
  if (DATE.test(cell) || DATE_IN_WORDS.test(cell)) return "date";
  if (FLAG.test(cell)) return "flag";
  if (LANGUAGES.has(LOCALE.exec(cell)?.[1]?.toLowerCase() ?? "")) return "locale";
  if (LINK.test(cell)) return "link";
  if (JSON_VALUE.test(cell)) return "json";
  return CODE.test(cell) ? "code" : "text";
}

/** Few short values that come again. */
function isCategory(filled: string[], median: number): boolean {
  if (median > CATEGORY_CHARACTERS_MAX || filled.length < 3) return false;
  const distinct = new Set(filled.map((cell) => cell.toLowerCase())).size;
  return distinct === 1 || distinct <= filled.length * (filled.length < 8 ? 0.67 : 0.5);
}

/** A long text that quotes a question asks nothing. */
function asks(cell: string): boolean {
  return cell.length <= CELL_CHARACTERS_MAX && isQuestion(cell);
}

function isProse(cell: string): boolean {
  if (/<(?:p|div|ul|ol|h\d|br|strong|a)\b/i.test(cell)) return true;
  const written = cell.slice(0, CELL_CHARACTERS_MAX);
  return (written.match(IDEOGRAPHS)?.length ?? 0) >= 6 || written.split(/\s+/).length >= 4;
}

/** As the name of a column is written: short, and no sentence. */
export function isLikeName(cell: string): boolean {
  if (cell.length > NAME_CHARACTERS_MAX) return false;
  const name = cell.replaceAll(/[([（【][^()[\]（）【】]*[)\]）】]/g, "").trim();
  // No., Nr. and Lp. are short for a name.
  if (/^\p{L}{1,5}\.$/u.test(name)) return true;
  return (
    name.length <= 48 &&
    !/[.!?。！？؟…]$/u.test(name) &&
    name.split(/\s+/).length <= 6 &&
    cellKind(name) !== "link"
  );
}
