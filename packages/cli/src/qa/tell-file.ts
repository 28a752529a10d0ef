import type { FileProblem } from "@signalbox/server/qa-files";
import type { Output } from "../output.ts";
import type { RowCounts } from "./read-file.ts";
import type { StoredDocument } from "./store-pairs.ts";

export interface Problem extends FileProblem {
  fix?: string | undefined;
}

interface ImportedDocument extends StoredDocument {
  name: string;
  pairs: number;
}

export interface ImportedFile extends RowCounts {
  file: string;
  encoding: string | null;
  delimiter: string | null;
  documents: ImportedDocument[];
  problems: Problem[];
  /** Why nothing, or not all of it, is in the service. */
  failure: Problem | null;
}

const PROBLEMS_SHOWN = 20;

/** One file's outcome, for people. */
export function tellFile(file: ImportedFile, output: Output, isDryRun: boolean): void {
  const { rejected, failure, documents, problems } = file;
  output.progress(
    `${failure === null && rejected === 0 ? "✔" : "✖"} ${file.file}: ${summaryOf(file, isDryRun)}`,
  );
  for (const { name, pairs, stored, doc_id } of documents) {
    if (doc_id === null) continue;
    output.progress(
      stored === pairs
        ? `    Stored "${name}" as document ${doc_id}`
        : `    Stored ${stored} of ${pairs} pairs of "${name}" in document ${doc_id}`,
    );
  }
  if (failure !== null) tellProblem(failure);
  for (const problem of problems.slice(0, PROBLEMS_SHOWN)) tellProblem(problem);
  if (problems.length > PROBLEMS_SHOWN)
    output.progress(`    and ${problems.length - PROBLEMS_SHOWN} more. List them all with --json`);

  function tellProblem({ line, column, cause, detail, fix }: Problem): void {
    const place = [
      line === undefined ? [] : `line ${line}`,
      column === undefined ? [] : `column ${column}`,
    ].flat();
    output.progress(`    ${place.length === 0 ? "" : `${place.join(", ")}: `}${detail} (${cause})`);
    if (fix !== undefined) output.progress(`        ${fix}`);
  }
}

function summaryOf(file: ImportedFile, isDryRun: boolean): string {
  const { rows_read, pairs, rejected, duplicates, conflicts, blank, documents } = file;
  if (rows_read === 0) return "nothing in it can be imported";
  const stored = documents.reduce((sum, document) => sum + document.stored, 0);
  const parts = [
    isDryRun ? `${pairs} of ${rows_read} rows are valid pairs` : `${stored} of ${pairs} pairs stored`,
    rejected > 0 ? `${rejected} rejected` : [],
    duplicates > 0 ? `${duplicates} duplicate${duplicates === 1 ? "" : "s"}` : [],
    conflicts > 0 ? `${conflicts} with two answers` : [],
    blank > 0 ? `${blank} blank` : [],
  ];
  return parts.flat().join(", ");
}
