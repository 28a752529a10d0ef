import type { IntakeLimits } from "../limits.ts";
import { failed, type FileFailure, type FileProblem } from "../outcome.ts";
import { findCharset } from "../text/charset.ts";
import { readText } from "../text/decode.ts";
import type { Columns } from "./find-table.ts";
import type { JudgedRow } from "./row-judge.ts";

type ExportLimits = Pick<IntakeLimits, "pairsMax">;

interface ExportedRows {
  kind: "rows";
  rows: JudgedRow[];
  columns: Columns;
  encoding: string;
  problems: FileProblem[];
}

/** An export as JSON, a pair a row: question, answer, tags, and each alternate in a column of its own. */
export async function readExportedRows(
  path: string,
  limits: ExportLimits,
): Promise<ExportedRows | FileFailure> {
  const charset = await findCharset(path);
  if ("kind" in charset) return charset;
  const text = await readText(path, charset);
  const refused = refuseShape(text, limits);
  if (refused !== undefined) return refused;
  const documents = documentsIn(text);
  if (documents === undefined) return NO_EXPORT;
  const rows = documents.flatMap(({ pairs }) => pairs).map((pair, index) => rowOf(pair, index + 1));
  if (rows.length === 0) return failed("no_rows", "the file contains no pairs");
  const width = rows.reduce((most, { fields }) => Math.max(most, fields.length), 0);
  const alternates = Array.from({ length: width - ALTERNATES_FROM }, (_, index) => ALTERNATES_FROM + index);
  return {
    kind: "rows",
    rows,
    columns: { question: 0, answer: 1, tags: 2, alternates },
    encoding: charset.name,
    problems: documents.length === 1 ? [] : [joined(documents.length)],
  };
}

const ALTERNATES_FROM = 3;

function joined(documents: number): FileProblem {
  return {
    cause: "documents_joined",
    detail: `the file contains ${documents} documents; their pairs are read as one`,
  };
}

interface WrittenDocument {
  pairs: unknown[];
}

/** An export has six levels. */
const DEPTH_MAX = 20;
/** A pair of the largest document has a question, an answer, tags and a dozen alternates. */
const VALUES_PER_PAIR = 20;

/** A parser keeps open brackets, and values by the million, where no limit of a worker's memory counts them in time. */
function refuseShape(text: string, { pairsMax }: ExportLimits): FileFailure | undefined {
  const valuesMax = pairsMax * VALUES_PER_PAIR;
  let [depth, values] = [0, 0];
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isString = !isString;
    else if (isString) at += character === "\\" ? 1 : 0;
    else if (character === ",") values += 1;
    else if (character === "[" || character === "{") {
      depth += 1;
      values += 1;
      if (depth > DEPTH_MAX) return NO_EXPORT;
    } else if (character === "]" || character === "}") depth -= 1;
    if (values > valuesMax) return failed("too_complex", `the export has more than ${valuesMax} values`);
  }
  return undefined;
}

const NO_EXPORT = failed("not_an_export", "the file contains no documents with pairs, as an export has them");

function documentsIn(text: string): WrittenDocument[] | undefined {
  let written: { documents?: unknown } | null;
  try {
    written = JSON.parse(text) as typeof written;
  } catch {
    return undefined;
  }
  const documents = written?.documents;
  return Array.isArray(documents) && documents.length > 0 && documents.every(isDocument)
    ? documents
    : undefined;
}

function isDocument(value: unknown): value is WrittenDocument {
  return Array.isArray((value as Partial<WrittenDocument> | null)?.pairs);
}

/** A value that is no text counts as missing, and its row is refused. */
function rowOf(pair: unknown, line: number): JudgedRow {
  const { question, answer, keywords, tags } = (pair ?? {}) as Record<string, unknown>;
  return { line, fields: [textOf(question), textOf(answer), textsOf(tags).join(","), ...textsOf(keywords)] };
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map(textOf) : [];
}

/** U+0000 may be written as an escape here. PostgreSQL cannot store it. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\u0000", "") : "";
}
