import { pathToFileURL } from "node:url";
import type { FoundColumns, UploadPreview, UploadReading } from "@signalbox/contract";
import { findCompanion } from "../companions.ts";

const SAMPLE_CHARACTERS = 60;

export interface SampledColumn {
  column: number;
  /** As the header names it; empty without a header. */
  name: string;
  sample: string;
}

/** What an import would make of a file; `columns` are counted from 1. */
export interface DryRun extends Omit<UploadPreview, "columns" | "header_rows" | "rows" | "existing"> {
  file: string;
  columns: Pick<FoundColumns, "question" | "answer"> & Partial<FoundColumns>;
  /** False: a person has to name the columns, or there are none. */
  certain: boolean;
  header_rows: number;
  found: SampledColumn[];
}

/** Read by the service's own code, which need not run. Undefined where the service is not installed. */
export async function dryRun(path: string, asked: Partial<UploadReading>): Promise<DryRun | undefined> {
  const program = findCompanion("@signalbox/server/dry-run");
  if (program === undefined) return undefined;
  const server = (await import(pathToFileURL(program).href)) as typeof import("@signalbox/server/dry-run");
  return described(path, await server.dryRun(path, asked));
}

/** A preview as it is shown in a terminal. */
export function described(file: string, preview: UploadPreview): DryRun {
  const { rows, existing: _existing, ...found } = preview;
  const header_rows = found.header_rows ?? 0;
  return {
    ...found,
    file,
    columns: found.columns ?? { question: null, answer: null },
    certain: found.failure === null && found.reads_as === "pairs",
    header_rows,
    found: sampledColumns(rows, header_rows),
  };
}

/** Each column with its name and the first cell below it that holds anything. */
function sampledColumns(shown: UploadPreview["rows"], headerRows: number): SampledColumn[] {
  const rows = shown.map(({ cells }) => cells).filter((cells) => cells.some((cell) => cell.trim() !== ""));
  const [header, body] = [rows[headerRows - 1] ?? [], rows.slice(headerRows)];
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: width }, (_, index) => ({
    column: index + 1,
    name: shortened(header[index] ?? ""),
    sample: shortened(body.map((cells) => cells[index] ?? "").find((cell) => cell.trim() !== "") ?? ""),
  }));
}

function shortened(cell: string): string {
  const line = cell.trim().replaceAll(/\s+/g, " ");
  return line.length <= SAMPLE_CHARACTERS ? line : `${line.slice(0, SAMPLE_CHARACTERS)}…`;
}
