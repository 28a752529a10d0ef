import { given } from "../given-fields.ts";
import type { Output } from "../output.ts";
import type { DryRun } from "./dry-run.ts";
import { tellProblems } from "./tell-problems.ts";

const PROBLEMS_SHOWN = 20;
/** The columns are shown below with samples: the sentence that lists them is for programs. */
const UNCLEAR = "columns_unclear";
const LINES_SHOWN = 6;

/** What an import would make of a file, for people. */
export function tellDryRun(output: Output, found: DryRun): void {
  const { file, failure, certain, problems, first_pairs } = found;
  if (failure === null) output.line(`${file}: ${countsText(found, "are valid pairs")}`);
  else if (failure.cause === UNCLEAR) output.line(`${file}: it is not certain which columns to read.`);
  else {
    output.line(`${file} cannot be imported as it is:`);
    tellProblems(output.line, [
      { cause: failure.cause, detail: failure.detail, ...given({ line: failure.line ?? undefined }) },
    ]);
  }
  if (found.found.length > 0) tellColumns(output, found);
  if (!certain && found.found.length > 0)
    output.line(
      "\nName the columns with --question-column N and --answer-column N. If the header is wrong, --header-rows N corrects it.",
    );
  if (first_pairs.length > 0) {
    output.line("\nFirst pairs, as users would read them:");
    for (const pair of first_pairs) tellPair(output, pair);
  }
  if (problems.length > 0) output.line();
  tellProblems(output.line, problems.slice(0, PROBLEMS_SHOWN));
  if (problems.length > PROBLEMS_SHOWN)
    output.line(`    and ${problems.length - PROBLEMS_SHOWN} more. List them all with --json`);
}

type Counts = Pick<DryRun, "rows_read" | "pairs" | "rejected" | "duplicates" | "conflicts" | "blank"> &
  Partial<Pick<DryRun, "sections">>;

export function countsText(counts: Counts, of: "are valid pairs" | "imported"): string {
  const { rows_read, pairs, rejected, duplicates, conflicts, blank, sections = 0 } = counts;
  const parts = [
    sections > 0 && rows_read === 0 ? [] : `${pairs} of ${rows_read} rows ${of}`,
    rejected > 0 ? `${rejected} refused` : [],
    duplicates > 0 ? `${duplicates} duplicate${duplicates === 1 ? "" : "s"}` : [],
    conflicts > 0 ? `${conflicts} with two answers` : [],
    blank > 0 ? `${blank} blank` : [],
    sections > 0 ? `${sections} sections become pairs when it is imported` : [],
  ];
  return parts.flat().join(", ");
}

function tellColumns(output: Output, { columns, header_rows, found }: DryRun): void {
  output.line(`Header rows: ${header_rows}\n`);
  output.table(
    ["column", "name", "read as", "first cell"],
    found.map(({ column, name, sample }) => [String(column), name, roleOf(columns, column), sample]),
  );
}

function roleOf({ question, answer, alternates, tags }: DryRun["columns"], column: number): string {
  if (column === question) return "question";
  if (column === answer) return "answer";
  if (column === tags) return "tags";
  return alternates?.includes(column) === true ? "alternates" : "";
}

function tellPair(output: Output, { question, answer }: DryRun["first_pairs"][number]): void {
  output.line(`  ${question}`);
  const lines = answer.split("\n");
  for (const line of lines.slice(0, LINES_SHOWN)) output.line(`      ${line}`);
  if (lines.length > LINES_SHOWN) output.line("      …");
}
