import type { FoundColumns as ShownColumns, ImportColumns } from "@signalbox/contract";
import type { FoundColumns } from "../outcome.ts";
import type { Columns } from "./find-table.ts";

// People count columns from 1.

export function readColumns(columns: ImportColumns | null | undefined): Columns | undefined {
  if (columns === undefined || columns === null) return undefined;
  const { question, answer, alternates, tags } = columns;
  return {
    question: question - 1,
    answer: answer - 1,
    alternates: alternates.map((column) => column - 1),
    ...(tags === undefined || tags === null ? {} : { tags: tags - 1 }),
  };
}

export function showColumns({ question, answer, alternates, tags }: Columns | FoundColumns): ShownColumns {
  const shown = (column: number | undefined) => (column === undefined ? null : column + 1);
  return {
    question: shown(question),
    answer: shown(answer),
    alternates: alternates.map((column) => column + 1),
    tags: shown(tags),
  };
}
