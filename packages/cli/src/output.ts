import { createProgressBar, type ProgressBar } from "./progress-bar.ts";

export interface Output {
  /** The result: one JSON value with --json, otherwise what `human` prints. */
  result: (value: unknown, human: () => void) => void;
  /** For people, on standard output. */
  line: (text?: string) => void;
  /** The same while a command is under way: never with --json. */
  progress: (text: string) => void;
  table: (headings: readonly string[], rows: readonly (readonly string[])[]) => void;
  /** For people, beside the result: never shown with --json. */
  note: (text: string) => void;
  failure: (text: string, fields?: object) => void;
  /** A line that tells how far something is; only a terminal shows it, and only while it is under way. */
  bar: (what: string) => ProgressBar;
}

export interface Streams {
  out: (text: string) => void;
  error: (text: string) => void;
  /** Somebody looks at what is written as an error. */
  isWatched?: boolean;
}

export function createOutput({ out, error, isWatched = false }: Streams, asJson: boolean): Output {
  const line = (text = "") => out(`${text}\n`);
  return {
    result: (value, human) => (asJson ? line(JSON.stringify(value, null, 2)) : human()),
    line,
    progress: (text) => {
      if (!asJson) line(text);
    },
    table: (headings, rows) => {
      for (const row of tableLines(headings, rows)) line(row);
    },
    note: (text) => {
      if (!asJson) error(`${text}\n`);
    },
    failure: (text, fields = {}) =>
      asJson ? line(JSON.stringify({ error: { message: text, ...fields } }, null, 2)) : error(`${text}\n`),
    bar: (what) => createProgressBar(what, isWatched && !asJson ? error : () => {}),
  };
}

/** Columns as wide as what stands in them; the last one runs freely. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll(/\s+/g, " ")));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ""))));
  const isLast = (column: number) => column === headings.length - 1;
  return all.map((row) =>
    row
      .map((cell, column) =>
        isLast(column) ? cell : cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** A terminal gives characters of East Asian scripts two columns. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width += /\p{Script=Han}|[\u3000-\u30ff\uff00-\uff60\uac00-\ud7a3]/u.test(character) ? 2 : 1;
  return width;
}

export function timeText(time: number | null | undefined): string {
  return time === null || time === undefined
    ? ""
    : new Date(time).toISOString().replace("T", " ").slice(0, 19);
}
