import type { IntakeLimits } from "../limits.ts";
import { failed, type FileFailure } from "../outcome.ts";
import { createCsvReader } from "../qa/csv-reader.ts";
import { findStyle } from "../qa/csv-style.ts";
import { findColumns, findHeader } from "../qa/find-columns.ts";
import type { Block } from "./block.ts";

const SAMPLE_CHARACTERS = 65_536;
const TITLE_CHARACTERS_MAX = 60;

export function readCsvRows(
  text: string,
  { recordCharactersMax }: Pick<IntakeLimits, "recordCharactersMax">,
): { kind: "rows"; rows: string[][] } | FileFailure {
  const style = findStyle(text.slice(0, SAMPLE_CHARACTERS), text.length <= SAMPLE_CHARACTERS, undefined);
  if (style === undefined) return { kind: "rows", rows: text.split(/\r\n|[\n\r]/).map((line) => [line]) };
  const reader = createCsvReader({ ...style, recordCharactersMax });
  const rows = [...reader.push(text.slice(style.skip)), ...reader.end()];
  if (reader.fault !== undefined)
    return failed(
      reader.fault.kind,
      `the row of line ${reader.fault.line} cannot be read`,
      reader.fault.line,
    );
  return { kind: "rows", rows: rows.map(({ fields }) => fields) };
}

/** A table that names questions and answers is taken as such; of any other, each row says what stands in its columns. */
export function tableBlocks(rows: string[][]): Block[] {
  const filled = rows
    .map((fields, index) => ({ fields: fields.map((field) => field.trim()), line: index + 1 }))
    .filter(({ fields }) => fields.some((field) => field !== ""));
  const header = filled[0]?.fields;
  if (header === undefined) return [];
  const named = findHeader(filled);
  if (typeof named === "number") {
    const at = filled.findIndex(({ line }) => line === named);
    return [...rowBlocks([], filled.slice(0, at)), ...pairBlocks(filled[at]!.fields, filled.slice(at + 1))];
  }
  return isHeader(header) ? rowBlocks(header, filled.slice(1)) : rowBlocks([], filled);
}

interface Row {
  fields: string[];
  line: number;
}

function pairBlocks(header: string[], rows: Row[]): Block[] {
  const body = rows.map(({ fields }) => fields);
  const { question, answer } = findColumns({ header, isHeaderGiven: false, body, width: Infinity });
  if (question === undefined || answer === undefined) return rowBlocks(header, rows);
  return rows.flatMap(({ fields, line }) => {
    const pair = { question: fields[question] ?? "", answer: fields[answer] ?? "" };
    if (pair.question !== "" && pair.answer !== "") return [{ kind: "pair" as const, ...pair, line }];
    return rowBlocks(header, [{ fields, line }]);
  });
}

function rowBlocks(header: string[], rows: Row[]): Block[] {
  return rows.map(({ fields, line }) => ({ kind: "paragraph", text: rowText(header, fields), line }));
}

function isHeader(fields: string[]): boolean {
  return (
    fields.length > 1 &&
    fields.every(
      (field) => field !== "" && field.length <= TITLE_CHARACTERS_MAX && !/^[\d.,\s%€$-]+$/.test(field),
    )
  );
}

function rowText(header: string[], fields: string[]): string {
  return fields
    .map((field, index) => ({ field, name: header[index] ?? "" }))
    .filter(({ field }) => field !== "")
    .map(({ field, name }) => (name === "" ? field : `${name}: ${field}`))
    .join("\n");
}
