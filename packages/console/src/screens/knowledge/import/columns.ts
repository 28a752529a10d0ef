import type { UploadColumns } from "@signalbox/contract";

export type ColumnRole = "question" | "answer" | "alternates" | "tags" | "ignored";

export function roleOf({ question, answer, alternates, tags }: UploadColumns, column: number): ColumnRole {
  if (column === question) return "question";
  if (column === answer) return "answer";
  if (column === tags) return "tags";
  return alternates.includes(column) ? "alternates" : "ignored";
}

/** There is one question and one answer: whoever takes a place gives its own to whoever had it. */
export function withRole(columns: UploadColumns, column: number, role: ColumnRole): UploadColumns {
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

function byNumber(one: number, other: number): number {
  return one - other;
}
