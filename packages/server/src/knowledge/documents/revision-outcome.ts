import type { DocumentImport } from "@signalbox/contract";
import type { RevisionReport } from "./revision-store.ts";

/** The outcome of a revision, as its row has it. */
export interface RevisionOutcomeRow {
  import_id: string;
  state: DocumentImport["state"];
  file_name: string | null;
  rows_read: number;
  pairs: number;
  rejected: number;
  duplicates: number;
  blank: number;
  conflicts: number;
  chunks_total: number;
  chunks_done: number;
  report: RevisionReport;
  created_at: Date;
  finished_at: Date | null;
}

export function describeOutcome({ report, created_at, finished_at, ...row }: RevisionOutcomeRow) {
  return {
    import_id: row.import_id,
    state: row.state,
    file_name: row.file_name,
    rows_read: row.rows_read,
    pairs: row.pairs,
    rejected: row.rejected,
    duplicates: row.duplicates,
    blank: row.blank,
    conflicts: row.conflicts,
    problems: report.problems ?? [],
    chunks_total: row.chunks_total,
    chunks_done: row.chunks_done,
    cause: report.cause ?? null,
    detail: report.detail ?? null,
    line: report.line ?? null,
    create_time: created_at.getTime(),
    finish_time: finished_at?.getTime() ?? null,
  };
}
