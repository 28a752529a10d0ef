import { withoutTextMark } from "@signalbox/contract";
import type { IncomingPair } from "../incoming-pair.ts";
import { failed, type FileFailure, type FileProblem, type SampleRow } from "../outcome.ts";
import { findCharset } from "../text/charset.ts";
import { decodeFile } from "../text/decode.ts";
import { findFileKind } from "../file-kind.ts";
import { createCsvReader, type CsvFault } from "./csv-reader.ts";
import { findStyle, readDelimiter } from "./csv-style.ts";
import { findTable, type Columns } from "./find-table.ts";
import type { QaFileJob, QaFileReport } from "./read-qa-file.ts";
import { createRowJudge, type JudgedRow, type RowJudge } from "./row-judge.ts";

const BATCH_PAIRS = 1_000;
const SAMPLE_CHARACTERS = 65_536;

type OnPairs = (pairs: IncomingPair[]) => Promise<void>;

/** What people are shown of a file; a cell is cut where it is longer. */
const SAMPLE_ROWS = 12;
const SAMPLE_FIELDS = 20;
const SAMPLE_FIELD_CHARACTERS = 200;

type Outcome = Omit<QaFileReport, "sample"> | FileFailure;

/** Runs in a worker: the rows of a CSV file or of a workbook become pairs, batch by batch. */
export async function readRows(job: QaFileJob, onPairs: OnPairs): Promise<QaFileReport | FileFailure> {
  const sample: SampleRow[] = [];
  const outcome = await readKind(job, onPairs, (rows) => sample.push(...sampleOf(rows)));
  return { ...outcome, sample };
}

function sampleOf(rows: JudgedRow[]): SampleRow[] {
  return rows.slice(0, SAMPLE_ROWS).map(({ line, fields }) => ({
    line,
    fields: fields.slice(0, SAMPLE_FIELDS).map((field) => field.slice(0, SAMPLE_FIELD_CHARACTERS)),
  }));
}

type OnFirst = (rows: JudgedRow[]) => void;

async function readKind(job: QaFileJob, onPairs: OnPairs, onFirst: OnFirst): Promise<Outcome> {
  const kind = await findFileKind(job);
  switch (kind) {
    case "csv":
    case "txt":
    case "md":
      return readCsv(job, onPairs, onFirst);
    case "xlsx":
      return readWorkbook(job, onPairs, onFirst);
    case "json":
      return readExport(job, onPairs, onFirst);
    case "pdf":
    case "docx":
    case "html":
      return failed("wrong_type", `the file is ${kind}, not a table of questions and answers`);
    default:
      return kind;
  }
}

async function readCsv(job: QaFileJob, onPairs: OnPairs, onFirst: OnFirst): Promise<Outcome> {
  const told = job.splitter === undefined ? undefined : readDelimiter(job.splitter);
  const charset = await findCharset(job.path, charsetNamed(job.contentType));
  if ("kind" in charset) return charset;

  const pieces = decodeFile(job.path, charset);
  const { sample, isWhole } = await readSample(pieces);
  const style = findStyle(
    sample.slice(0, SAMPLE_CHARACTERS),
    isWhole && sample.length <= SAMPLE_CHARACTERS,
    told,
  );
  if (style === undefined)
    return sample.trim() === ""
      ? failed("empty", "the file contains no text")
      : failed("no_answer_column", "no delimiter was found, so the file has no column for answers");

  const reader = createCsvReader({ ...style, recordCharactersMax: job.limits.recordCharactersMax });
  const linesBefore = style.skip === 0 ? 0 : 1;
  const counted = (rows: JudgedRow[]) =>
    rows.map((row) => ({ ...row, fields: unmarked(row.fields), line: row.line + linesBefore }));

  const first = counted(reader.push(sample.slice(style.skip)));
  if (isWhole && reader.fault === undefined) first.push(...counted(reader.end()));
  onFirst(first);
  const table = findTable(first, { ...job, width: style.width });
  if (table.kind === "failed") return table;
  const judge = createRowJudge({ ...job, ...style, ...table, mayLoseBytes: charset.mayLoseBytes });
  const collector = collectPairs(judge, table.columns, job.limits.pairsMax, onPairs);

  let isEnough = await collector.take(first);
  for await (const piece of pieces) {
    if (isEnough || reader.fault !== undefined) break;
    isEnough = await collector.take(counted(reader.push(piece)));
  }
  if (!isWhole && !isEnough && reader.fault === undefined)
    isEnough = await collector.take(counted(reader.end()));
  if (reader.fault !== undefined) return describeFault(reader.fault, linesBefore);
  const report = await collector.finish({
    encoding: charset.name,
    encodingConfidence: charset.confidence,
    delimiter: style.delimiter,
  });
  if (report.kind === "read" && job.splitter !== undefined && style.delimiter !== told)
    report.problems.unshift(splitterIgnored(job.splitter, style.delimiter));
  return report;
}

/** A caller has one splitter for all its documents, or wrote the wrong one: the file itself says more. */
function splitterIgnored(splitter: string, delimiter: string): FileProblem {
  const [given, used] = [JSON.stringify(splitter), JSON.stringify(delimiter)];
  return {
    cause: "splitter_ignored",
    detail: `the splitter ${given} does not separate the columns of this file; the delimiter ${used} was detected and used`,
  };
}

/** Spreadsheets and our exports mark what would be a formula. */
function unmarked(fields: string[]): string[] {
  return fields.some((field) => field.includes("'")) ? fields.map(withoutTextMark) : fields;
}

async function readWorkbook(job: QaFileJob, onPairs: OnPairs, onFirst: OnFirst): Promise<Outcome> {
  // Loaded only where it is needed: most files are CSV, and a worker starts for each.
  const { readWorkbookRows } = await import("./workbook.ts");
  const workbook = await readWorkbookRows(job);
  if (workbook.kind === "failed") return workbook;
  onFirst(workbook.rows);
  const table = findTable(workbook.rows, { ...job, width: Infinity });
  if (table.kind === "failed") return table;
  const judge = createRowJudge({ ...job, ...table, width: Infinity, mayLoseBytes: false });
  const collector = collectPairs(judge, table.columns, job.limits.pairsMax, onPairs);
  await collector.take(workbook.rows);
  const report = await collector.finish({ encoding: "xlsx", encodingConfidence: 1, delimiter: "" });
  if (report.kind === "read") report.problems.push(...workbook.problems);
  return report;
}

/** Its texts are taken as they stand: it has no header, and no HTML is converted. */
async function readExport(job: QaFileJob, onPairs: OnPairs, onFirst: OnFirst): Promise<Outcome> {
  const { readExportedRows } = await import("./exported-rows.ts");
  const read = await readExportedRows(job.path, job.limits);
  if (read.kind === "failed") return read;
  const { rows, encoding, problems } = read;
  const columns = job.columns ?? read.columns;
  onFirst(rows);
  const rules = { headerRow: undefined, headerLine: undefined, width: Infinity, mayLoseBytes: false };
  const judge = createRowJudge({ ...rules, columns, areTextsLiteral: true, limits: job.limits });
  const collector = collectPairs(judge, columns, job.limits.pairsMax, onPairs);
  await collector.take(rows);
  const report = await collector.finish({ encoding, encodingConfidence: 1, delimiter: "" });
  if (report.kind === "read") report.problems.push(...problems);
  return report;
}

function collectPairs(judge: RowJudge, columns: Columns, pairsMax: number, onPairs: OnPairs) {
  let batch: IncomingPair[] = [];
  let pairs = 0;
  const send = async () => {
    const full = batch;
    batch = [];
    if (full.length > 0) await onPairs(full);
  };
  return {
    /** True when the file has more pairs than a document may have. */
    async take(rows: JudgedRow[]): Promise<boolean> {
      for (const row of rows) {
        const pair = judge.take(row);
        if (pair === undefined) continue;
        pairs += 1;
        if (pairs > pairsMax) return true;
        batch.push(pair);
        if (batch.length >= BATCH_PAIRS) await send();
      }
      return false;
    },
    async finish(
      found: Pick<QaFileReport, "encoding" | "encodingConfidence" | "delimiter">,
    ): Promise<Outcome> {
      if (pairs > pairsMax)
        return failed(
          "too_many_pairs",
          `the file contains more than ${pairsMax} pairs; split it into several files`,
        );
      const verdict = judge.verdict();
      if (verdict !== undefined) return verdict;
      await send();
      return {
        kind: "read",
        ...judge.counts(),
        problems: judge.problems(),
        refused: judge.refused(),
        columns,
        ...found,
      };
    },
  };
}

async function readSample(pieces: AsyncGenerator<string>): Promise<{ sample: string; isWhole: boolean }> {
  let sample = "";
  while (sample.length < SAMPLE_CHARACTERS) {
    const { value, done } = await pieces.next();
    if (done === true) return { sample, isWhole: true };
    sample += value;
  }
  return { sample, isWhole: false };
}

function describeFault(fault: CsvFault, linesBefore: number): FileFailure {
  const line = fault.line + linesBefore;
  return fault.kind === "unclosed_quote"
    ? failed("unclosed_quote", `the quote in line ${line}, column ${fault.column}, is never closed`, line)
    : failed("record_too_large", `the row that starts in line ${line} is too large`, line);
}

function charsetNamed(contentType: string | undefined): string | undefined {
  return /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
}
