export interface CsvRow {
  fields: string[];
  /** Where the row begins, counted from 1; a quoted field may stretch over several lines. */
  line: number;
  /** A field over several lines holds quotes that are not doubled: rows may have run together. */
  hasBrokenQuotes: boolean;
}

export type CsvFault =
  | { kind: "unclosed_quote"; line: number; column: number }
  | { kind: "record_too_large"; line: number };

export interface CsvReader {
  /** The rows that are whole by now. */
  push(text: string): CsvRow[];
  /** The rest; afterwards the reader is spent. */
  end(): CsvRow[];
  /** Set once nothing more can be read. */
  fault: CsvFault | undefined;
}

export interface CsvStyle {
  delimiter: string;
  /** Old files end their lines with a carriage return alone. */
  lineEnd: "\n" | "\r";
  recordCharactersMax: number;
}

const QUOTE = 0x22;
const RETURN = 0x0d;
const FEED = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/**
 * RFC 4180, read as people write it: blanks may stand around a quoted field, a stray quote inside a field is text, and a
 * quote inside a quoted field ends it only where a delimiter or a line's end follows.
 */
export function createCsvReader({ delimiter, lineEnd, recordCharactersMax }: CsvStyle): CsvReader {
  const separator = delimiter.charCodeAt(0);
  const newline = lineEnd.charCodeAt(0);
  let text = "";
  let line = 1;
  let at = 0;
  let isLast = false;
  const reader: CsvReader = { push, end, fault: undefined };
  return reader;

  function push(piece: string): CsvRow[] {
    text = text.slice(at) + piece;
    at = 0;
    return readRows();
  }

  function end(): CsvRow[] {
    isLast = true;
    return readRows();
  }

  function readRows(): CsvRow[] {
    const rows: CsvRow[] = [];
    while (reader.fault === undefined && at < text.length) {
      const row = readRow();
      if (row !== undefined) rows.push(row);
      else if (text.length - at > recordCharactersMax) reader.fault ??= { kind: "record_too_large", line };
      else if (!isLast) break;
    }
    return rows;
  }

  /** Undefined when the row is not whole yet, or never will be. */
  function readRow(): CsvRow | undefined {
    const fields: string[] = [];
    let position = at;
    let linesInside = 0;
    let hasBrokenQuotes = false;
    for (;;) {
      const quote = skipBlanks(position);
      if (text.charCodeAt(quote) === QUOTE) {
        const close = closingQuote(quote + 1);
        if (close === undefined) {
          if (isLast || text.length - at > recordCharactersMax)
            reader.fault = { kind: "unclosed_quote", ...placeOf(quote) };
          return undefined;
        }
        const inside = text.slice(quote + 1, close.at);
        const breaks = inside.includes(lineEnd) ? countOf(inside, newline) : 0;
        linesInside += breaks;
        hasBrokenQuotes ||= close.passedStrayQuote && breaks > 0;
        fields.push(inside.includes('"') ? inside.replaceAll('""', '"') : inside);
        position = skipBlanks(close.at + 1);
      } else {
        const stop = endOfBareField(position);
        if (stop === text.length && !isLast) return undefined;
        fields.push(text.slice(position, beforeReturn(position, stop)));
        position = stop;
      }
      if (text.charCodeAt(position) === separator) {
        position += 1;
        if (position >= text.length && !isLast) return undefined;
        continue;
      }
      if (text.charCodeAt(position) === RETURN && newline === FEED) position += 1;
      if (position - at > recordCharactersMax) return undefined;
      const row = { fields, line, hasBrokenQuotes };
      line += linesInside + 1;
      at = Math.min(position + 1, text.length);
      return row;
    }
  }

  /** Where the quote stands that ends the field; undefined while none is in sight. */
  function closingQuote(from: number): { at: number; passedStrayQuote: boolean } | undefined {
    let passedStrayQuote = false;
    for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
      const isDoubled = text.charCodeAt(quote + 1) === QUOTE;
      // A file that does not double quotes inside a field does not mean the last two as one: "say "yes"",next
      const last = isDoubled && passedStrayQuote ? quote + 1 : quote;
      if (!isDoubled || last > quote) {
        const follows = fieldEndsAt(last + 1);
        if (follows === undefined) return undefined;
        if (follows) return { at: last, passedStrayQuote };
      }
      if (isDoubled) quote += 1;
      else passedStrayQuote = true;
    }
    return undefined;
  }

  /** Undefined when that depends on text still to come. */
  function fieldEndsAt(position: number): boolean | undefined {
    const next = skipBlanks(position);
    if (next >= text.length) return isLast ? true : undefined;
    const code = text.charCodeAt(next);
    if (code === separator || code === newline) return true;
    if (code !== RETURN || newline !== FEED) return false;
    if (next + 1 >= text.length) return isLast ? true : undefined;
    return text.charCodeAt(next + 1) === FEED;
  }

  function endOfBareField(from: number): number {
    let position = from;
    for (; position < text.length; position += 1) {
      const code = text.charCodeAt(position);
      if (code === separator || code === newline) break;
    }
    return position;
  }

  function beforeReturn(from: number, stop: number): number {
    const isLineEnd = stop === text.length || text.charCodeAt(stop) === newline;
    return newline === FEED && isLineEnd && stop > from && text.charCodeAt(stop - 1) === RETURN
      ? stop - 1
      : stop;
  }

  function skipBlanks(from: number): number {
    let position = from;
    for (; position < text.length; position += 1) {
      const code = text.charCodeAt(position);
      if ((code !== SPACE && code !== TAB) || code === separator) break;
    }
    return position;
  }

  function placeOf(position: number): { line: number; column: number } {
    const before = text.slice(at, position);
    return { line: line + countOf(before, newline), column: position - at - before.lastIndexOf(lineEnd) };
  }
}

function countOf(text: string, code: number): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === code) count += 1;
  return count;
}
