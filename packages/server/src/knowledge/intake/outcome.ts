/** Something a file's owner should look at: a rejected row, a conflict, a sheet that was left out. */
export interface FileProblem {
  line?: number;
  column?: number;
  /** A stable word. */
  cause: string;
  detail: string;
}

/** A row that is no pair, with what it held: whoever corrects it needs the whole of it. */
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
}

export function failed(cause: string, detail: string, line?: number): FileFailure {
  return line === undefined ? { kind: "failed", cause, detail } : { kind: "failed", cause, detail, line };
}
