/** Something a file's owner should look at: a rejected row, a conflict, a sheet that was left out. */
export interface FileProblem {
  line?: number;
  column?: number;
  /** A stable word. */
  cause: string;
  detail: string;
}

/** A row that is no pair, with its fields: to correct it, a person needs the whole of it. */
export interface RefusedRow extends FileProblem {
  fields: string[];
}

/** One of the first rows of a file, as it stands there. */
export interface SampleRow {
  line: number;
  fields: string[];
}

/** Why a file gave nothing. It is returned, never thrown. */
export interface FileFailure {
  kind: "failed";
  /** A stable word. */
  cause: string;
  detail: string;
  line?: number;
  /** The first rejected rows, where rows were the reason. */
  problems?: FileProblem[];
  refused?: RefusedRow[];
  sample?: SampleRow[];
  /** The columns found in a table for which somebody has to choose. */
  table?: { columns: FoundColumns; headerRows: number };
}

/** Counted from 0. Undefined where a person has to choose. */
export interface FoundColumns {
  question: number | undefined;
  answer: number | undefined;
  alternates: number[];
  tags: number | undefined;
}

export function failed(cause: string, detail: string, line?: number): FileFailure {
  return line === undefined ? { kind: "failed", cause, detail } : { kind: "failed", cause, detail, line };
}
