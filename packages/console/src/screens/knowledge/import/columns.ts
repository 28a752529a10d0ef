import type { UploadColumns } from "@signalbox/contract";

export type ColumnRole = "question" | "answer" | "alternates" | "ignored";

export function roleOf({ question, answer, alternates }: UploadColumns, column: number): ColumnRole {
  if (column === question) return "question";
  if (column === answer) return "answer";
  return alternates.includes(column) ? "alternates" : "ignored";
}

/** There is one question and one answer: whoever takes a place gives its own to whoever had it. */
export function withRole(columns: UploadColumns, column: number, role: ColumnRole): UploadColumns {
  const before = roleOf(columns, column);
  const alternates = columns.alternates.filter((one) => one !== column);
  if (role === "alternates" || role === "ignored") {
    // Neither the question nor the answer can be given up without another.
    if (before === "question" || before === "answer") return columns;
    return {
      ...columns,
      alternates: role === "alternates" ? [...alternates, column].toSorted(byNumber) : alternates,
    };
  }
  const other = role === "question" ? "answer" : "question";
  const changed = { ...columns, alternates, [role]: column };
  return before === other ? { ...changed, [other]: columns[role] } : changed;
}

function byNumber(one: number, other: number): number {
  return one - other;
}
