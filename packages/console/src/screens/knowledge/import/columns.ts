import type { FoundColumns, ImportColumns } from "@signalbox/contract";

export type ColumnRole = "question" | "answer" | "alternates" | "tags" | "ignored";

export function roleOf({ question, answer, alternates, tags }: FoundColumns, column: number): ColumnRole {
  if (column === question) return "question";
  if (column === answer) return "answer";
  if (column === tags) return "tags";
  return alternates.includes(column) ? "alternates" : "ignored";
}

/** There is one question and one answer: a column that takes a role gives its own to the column that had it. */
export function withRole(columns: FoundColumns, column: number, role: ColumnRole): FoundColumns {
  const before = roleOf(columns, column);
  const alternates = columns.alternates.filter((one) => one !== column);
  const without = { ...columns, alternates, ...(before === "tags" && { tags: null }) };
  if (role === "question" || role === "answer") {
    const other = role === "question" ? "answer" : "question";
    const changed = { ...without, [role]: column };
    return before === other ? { ...changed, [other]: columns[role] } : changed;
  }
  // Neither the question nor the answer can be given up without another.
  if (before === "question" || before === "answer") return columns;
  if (role === "tags") return { ...without, tags: column };
  if (role === "ignored") return without;
  return { ...without, alternates: [...alternates, column].toSorted(byNumber) };
}

/** Undefined while the question or the answer is not chosen. */
export function chosenColumns({ question, answer, ...rest }: FoundColumns): ImportColumns | undefined {
  return question === null || answer === null ? undefined : { question, answer, ...rest };
}

function byNumber(one: number, other: number): number {
  return one - other;
}
