import { hash } from "node:crypto";
import { splitTags } from "@signalbox/contract";
import { pairFault, questionKey, type IncomingPair } from "../incoming-pair.ts";
import type { IntakeLimits } from "../limits.ts";
import { failed, type FileFailure, type FileProblem, type RefusedRow } from "../outcome.ts";
import { namesBothColumns } from "./find-columns.ts";
import type { Columns } from "./find-table.ts";
import { readHtmlCell, type CellText } from "./html-cell.ts";
import { suspicionOf } from "./suspicious-value.ts";

export interface RowCounts {
  /** Always pairs + rejected + duplicates + blank. Header rows are not among them. */
  rowsRead: number;
  pairs: number;
  rejected: number;
  duplicates: number;
  /** Pairs whose question stood before with another answer; both are kept. */
  conflicts: number;
  blank: number;
  headerRows: number;
  ignoredColumns: number;
}

export interface JudgedRow {
  fields: string[];
  line: number;
  hasBrokenQuotes?: boolean;
}

export interface RowJudge {
  /** The pair a row holds; undefined when it holds none, which is counted. */
  take(row: JudgedRow): IncomingPair | undefined;
  counts(): RowCounts;
  problems(): FileProblem[];
  refused(): RefusedRow[];
  /** Why the file as a whole is no QA file, or undefined. */
  verdict(): FileFailure | undefined;
}

export interface RowRules {
  /** Number of leading header rows, as the caller said it. */
  headerRow: number | undefined;
  /** The line of the header where the caller said nothing and one was found; rows above it are titles. */
  headerLine: number | undefined;
  columns: Columns;
  /** Fields beyond are no column but text cut by an unquoted delimiter. */
  width: number;
  /** U+FFFD stands for bytes that were lost. */
  mayLoseBytes: boolean;
  /** Tags of HTML and line breaks within an alternate belong to the text. */
  areTextsLiteral?: boolean;
  limits: IntakeLimits;
}

/** Every row ends in exactly one count; nothing is cut and nothing is dropped unseen. */
export function createRowJudge(rules: RowRules): RowJudge {
  const { headerRow, headerLine, columns, width, mayLoseBytes, areTextsLiteral = false, limits } = rules;
  const { readCell, linesOf } = areTextsLiteral ? LITERAL : WRITTEN;
  const counts = {
    rowsRead: 0,
    pairs: 0,
    rejected: 0,
    duplicates: 0,
    conflicts: 0,
    blank: 0,
    headerRows: 0,
  };
  const rejections: FileProblem[] = [];
  const remarks: FileProblem[] = [];
  const refused: RefusedRow[] = [];
  let refusedCharacters = 0;
  const firstLineOfQuestion = new Map<string, number>();
  const rowsSeen = new Set<string>();
  const ignored = new Set<number>();
  let columnsMax = width;

  return {
    take(row) {
      if (headerRow !== undefined && counts.headerRows < headerRow) {
        counts.headerRows += 1;
        if (counts.headerRows === headerRow) readHeader(row.fields);
        return undefined;
      }
      const isBlank = !areTextsLiteral && row.fields.every((field) => field.trim() === "");
      if (headerLine !== undefined && row.line <= headerLine && !isBlank) {
        counts.headerRows += 1;
        if (row.line === headerLine) readHeader(row.fields);
        return undefined;
      }
      counts.rowsRead += 1;
      if (isBlank) {
        counts.blank += 1;
        return undefined;
      }
      return judge(row, columns);
    },
    counts: () => ({ ...counts, ignoredColumns: ignored.size }),
    problems: () =>
      [...rejections, ...remarks]
        .slice(0, limits.problemsMax)
        .toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0)),
    refused: () => refused,
    verdict() {
      const filled = counts.rowsRead - counts.blank;
      if (filled === 0) return failed("no_rows", "the file contains no rows besides its header");
      if (counts.pairs === 0)
        return {
          ...failed("no_pairs", "no row has both a question and an answer"),
          problems: rejections,
          refused,
        };
      if (counts.rejected / filled <= limits.rejectedRatioMax) return undefined;
      const detail = `${counts.rejected} of ${filled} rows were rejected, so it is probably not a file of pairs`;
      return { ...failed("mostly_rejected", detail, rejections[0]?.line), problems: rejections, refused };
    },
  };

  function readHeader(fields: string[]): void {
    // Where the header names both columns it names them all: a further field is no column.
    if (Number.isFinite(width)) columnsMax = Math.max(fields.length, namesBothColumns(fields) ? 2 : width);
  }

  function judge(row: JudgedRow, { question, answer, alternates, tags }: Columns): IncomingPair | undefined {
    const { fields, line } = row;
    const asked = readCell(fields[question] ?? "", "text");
    const answered = readCell(fields[answer] ?? "", "markdown");
    const pair: IncomingPair = {
      question: asked.text.trim(),
      answer: answered.text.trim(),
      alternates: [],
      origin: "row",
      source: { line },
    };
    const others = alternates.flatMap((column) => linesOf(fields[column] ?? ""));
    if (others.length > 0) pair.alternates = alternatesOf(pair.question, others);
    if (tags !== undefined) pair.tags = splitTags(fields[tags] ?? "");
    const fault = rowFault(row) ?? columnFault(pair, { question, answer, tags });
    if (fault !== undefined) return reject({ line, ...fault }, fields);
    noteIgnored(row, { question, answer, alternates, tags });
    noteLeft(line, question, asked);
    noteLeft(line, answer, answered);
    noteSuspicious(pair, { question, answer });
    return isRepeated(pair, line) ? undefined : keep(pair);
  }

  function rowFault({ fields, hasBrokenQuotes }: JudgedRow): Omit<FileProblem, "line"> | undefined {
    if (hasBrokenQuotes === true)
      return {
        cause: "broken_quotes",
        detail:
          "a field over several lines contains quotes that are not doubled, so several rows may have been read as one",
      };
    const extra = fields.findIndex((field, index) => index >= columnsMax && field.trim() !== "");
    if (extra !== -1)
      return {
        column: extra + 1,
        cause: "too_many_fields",
        detail: `the row has ${fields.length} fields, but the file has ${columnsMax} columns; put a field that contains the delimiter in quotes`,
      };
    if (mayLoseBytes && fields.some((field) => field.includes("\ufffd")))
      return {
        cause: "undecodable",
        detail: "the row contains bytes that are not valid in the file's encoding",
      };
    return undefined;
  }

  function columnFault(
    pair: IncomingPair,
    { question, answer, tags }: Pick<Columns, "question" | "answer" | "tags">,
  ): Omit<FileProblem, "line"> | undefined {
    const fault = pairFault(pair, limits);
    if (fault === undefined || fault.cause.includes("alternate")) return fault;
    if (fault.cause.includes("tag")) return { column: (tags ?? 0) + 1, ...fault };
    return { column: (fault.cause.includes("question") ? question : answer) + 1, ...fault };
  }

  function reject(problem: FileProblem, fields: string[]): undefined {
    counts.rejected += 1;
    if (rejections.length < limits.problemsMax) rejections.push(problem);
    refusedCharacters += fields.reduce((sum, field) => sum + field.length, 0);
    if (refused.length < limits.refusedRowsMax && refusedCharacters <= limits.refusedCharactersMax)
      refused.push({ ...problem, fields });
  }

  function remark(problem: FileProblem): void {
    if (remarks.length < limits.problemsMax) remarks.push(problem);
  }

  function noteIgnored({ fields, line }: JudgedRow, { question, answer, alternates, tags }: Columns): void {
    const used = [question, answer, ...alternates, ...(tags === undefined ? [] : [tags])];
    if (fields.length <= used.length) return;
    for (const [index, field] of fields.entries()) {
      if (used.includes(index) || ignored.has(index) || field.trim() === "") continue;
      ignored.add(index);
      remark({ line, column: index + 1, cause: "ignored_column", detail: "this column is ignored" });
    }
  }

  function noteLeft(line: number, column: number, { left }: CellText): void {
    if (left.size === 0) return;
    const what = [...left].map(([name, count]) => `${count} ${name}`).join(", ");
    remark({
      line,
      column: column + 1,
      cause: "html_left_out",
      detail: `not converted from HTML: ${what}`,
    });
  }

  function noteSuspicious(
    pair: IncomingPair,
    { question, answer }: Pick<Columns, "question" | "answer">,
  ): void {
    for (const [value, column] of [
      [pair.question, question],
      [pair.answer, answer],
    ] as const) {
      const suspicion = suspicionOf(value);
      if (suspicion !== undefined) remark({ line: pair.source?.line ?? 0, column: column + 1, ...suspicion });
    }
  }

  function isRepeated({ question, answer, alternates }: IncomingPair, line: number): boolean {
    const key = shortKey(questionKey(question));
    const firstLine = firstLineOfQuestion.get(key);
    const plain = `${firstLine ?? line} ${fingerprint(answer)}`;
    // A repeated pair that brings new alternates is not the same pair: they would be lost with it.
    const whole = alternates.length === 0 ? plain : `${plain} ${fingerprint(alternates.join("\n"))}`;
    if (rowsSeen.has(whole)) {
      counts.duplicates += 1;
      return true;
    }
    if (firstLine === undefined) firstLineOfQuestion.set(key, line);
    else if (!rowsSeen.has(plain)) {
      counts.conflicts += 1;
      remark({ line, cause: "conflict", detail: `line ${firstLine} has another answer to this question` });
    }
    rowsSeen.add(plain);
    if (alternates.length > 0) rowsSeen.add(whole);
    return false;
  }

  function keep(pair: IncomingPair): IncomingPair {
    counts.pairs += 1;
    return pair;
  }
}

/** What only repeats the question says nothing. */
function alternatesOf(question: string, texts: string[]): string[] {
  const keys = new Set([questionKey(question)]);
  const alternates: string[] = [];
  for (const text of texts) {
    const alternate = text.trim();
    if (alternate === "") continue;
    const key = questionKey(alternate);
    if (keys.has(key)) continue;
    keys.add(key);
    alternates.push(alternate);
  }
  return alternates;
}

/** Keys of ordinary length are kept as they are, which is quicker than hashing them. */
const KEY_CHARACTERS_MAX = 128;

function shortKey(key: string): string {
  return key.length <= KEY_CHARACTERS_MAX ? key : fingerprint(key);
}

function fingerprint(text: string): string {
  return hash("sha256", text, "base64");
}

interface CellReader {
  readCell: (cell: string, as: "markdown" | "text") => CellText;
  /** The alternates in a cell. */
  linesOf: (cell: string) => string[];
}

const LITERAL: CellReader = {
  readCell: (cell) => ({ text: cell, left: new Map() }),
  linesOf: (cell) => [cell],
};

const WRITTEN: CellReader = {
  readCell: (cell, as) => readHtmlCell(cell, as) ?? LITERAL.readCell(cell, as),
  linesOf: (cell) => WRITTEN.readCell(cell, "text").text.split(/\r\n|[\r\n]/),
};
