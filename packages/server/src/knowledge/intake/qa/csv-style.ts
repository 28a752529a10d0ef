import { createCsvReader, type CsvRow } from "./csv-reader.ts";
import { findHeader } from "./find-columns.ts";

const DELIMITERS = [",", "\t", ";", "|"];

/** Excel writes the delimiter into a first line of its own, and hides it from people. */
const SEPARATOR_LINE = /^sep=(.)\r?(?:\n|\r|$)/i;

const WORDS: Record<string, string> = { "\\t": "\t", tab: "\t", comma: ",", semicolon: ";", pipe: "|" };

export interface FoundStyle {
  delimiter: string;
  lineEnd: "\n" | "\r";
  /** Most rows of the sample have this many fields; at least 2. */
  width: number;
  /** Characters of a separator line to pass over. */
  skip: number;
}

/** A delimiter as a caller writes it: one character, or its name. Undefined when it can be none. */
export function readDelimiter(splitter: string): string | undefined {
  const written = WORDS[splitter.toLowerCase()] ?? splitter;
  return written.length === 1 && !'"\r\n'.includes(written) ? written : undefined;
}

/** Undefined when no delimiter gives a second column. One that is given must split at least as well as one that is found. */
export function findStyle(
  sample: string,
  isWholeFile: boolean,
  given: string | undefined,
): FoundStyle | undefined {
  const written = SEPARATOR_LINE.exec(sample);
  const skip = written?.[0].length ?? 0;
  const text = sample.slice(skip);
  const lineEnd = !text.includes("\n") && text.includes("\r") ? "\r" : "\n";
  const attempt = (delimiter: string) => tryDelimiter(text, delimiter, lineEnd, isWholeFile);
  const told = given === undefined ? undefined : attempt(given);
  const found =
    told !== undefined && splitsMostRows(told)
      ? told
      : (written === null ? DELIMITERS : [written[1] ?? ","])
          .map(attempt)
          .reduce((one, other) => (isBetter(other, one) ? other : one));
  const best = told !== undefined && told.rowsWithTwo >= found.rowsWithTwo ? told : found;
  if (best.rowsWithTwo === 0) return undefined;
  return { delimiter: best.delimiter, lineEnd, width: best.width, skip };
}

/** With fewer, the file would be refused for its rejected rows. */
function splitsMostRows({ rowsWithTwo, rows }: Candidate): boolean {
  return rowsWithTwo > 0 && rowsWithTwo * 2 >= rows;
}

interface Candidate {
  delimiter: string;
  /** Without blank ones. */
  rows: number;
  rowsWithTwo: number;
  namesColumns: boolean;
  /** No field holds half of a pair of quotes, as fields do that were cut inside their quotes. */
  keepsQuotes: boolean;
  width: number;
  /** Share of rows that have the usual number of fields. */
  evenness: number;
  /** Share of delimiters with a blank behind them, as punctuation has and delimiters have not. */
  proseShare: number;
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.namesColumns !== other.namesColumns) return one.namesColumns;
  if (one.keepsQuotes !== other.keepsQuotes && splitsMostRows(one) && splitsMostRows(other))
    return one.keepsQuotes;
  if (one.rowsWithTwo !== other.rowsWithTwo) return one.rowsWithTwo > other.rowsWithTwo;
  if (one.evenness !== other.evenness) return one.evenness > other.evenness;
  return one.proseShare < other.proseShare;
}

function tryDelimiter(
  text: string,
  delimiter: string,
  lineEnd: "\n" | "\r",
  isWholeFile: boolean,
): Candidate {
  const reader = createCsvReader({ delimiter, lineEnd, recordCharactersMax: text.length + 1 });
  const rows = reader.push(text);
  // The last row of a sample that was cut is not whole.
  if (isWholeFile || rows.length === 0) rows.push(...reader.end());
  const filled = rows.filter(({ fields }) => fields.some((field) => field.trim() !== ""));
  const widths = new Map<number, number>();
  for (const { fields } of filled) widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
  const [width, rowsOfWidth] = [...widths].reduce(
    (one, other) => (other[1] > one[1] || (other[1] === one[1] && other[0] > one[0]) ? other : one),
    [0, 0],
  );
  return {
    delimiter,
    rows: filled.length,
    rowsWithTwo: filled.filter(({ fields }) => fields.length >= 2).length,
    namesColumns: findHeader(filled) !== undefined,
    keepsQuotes: filled.every(({ fields }) => fields.every(hasPairsOfQuotes)),
    width: Math.max(2, width),
    evenness: filled.length === 0 ? 0 : rowsOfWidth / filled.length,
    proseShare: proseShare(filled),
  };
}

function hasPairsOfQuotes(field: string): boolean {
  return !field.includes('"') || field.split('"').length % 2 === 1;
}

function proseShare(rows: CsvRow[]): number {
  let fields = 0;
  let afterBlank = 0;
  for (const row of rows) {
    for (const field of row.fields.slice(1)) {
      fields += 1;
      if (/^\s+\S/.test(field)) afterBlank += 1;
    }
  }
  return fields === 0 ? 1 : afterBlank / fields;
}
