/** Something a file's owner should look at: a rejected row, a conflict, a sheet that was left out. */
export interface FileProblem {
  line?: number;
  column?: number;
  /** A stable word. */
  cause: string;
  detail: string;
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
}

export function failed(cause: string, detail: string, line?: number): FileFailure {
  return line === undefined ? { kind: "failed", cause, detail } : { kind: "failed", cause, detail, line };
}
