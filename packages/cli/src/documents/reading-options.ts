import type { ImportColumns, UploadReading } from "@signalbox/contract";
import { type Option, type Options, UsageError, wholeNumber } from "../command.ts";
import { given } from "../given-fields.ts";

/** How preview, import and the dry run read a file. */
export const READING_OPTIONS: readonly Option[] = [
  {
    name: "header-rows",
    value: "N",
    summary: "preview, import: rows up to and including the header, 0 to 20; detected by default",
  },
  { name: "delimiter", value: "C", summary: "preview, import: field delimiter; detected by default" },
  { name: "question-column", value: "N", summary: "preview, import: column of questions, from 1" },
  { name: "answer-column", value: "N", summary: "preview, import: column of answers, from 1" },
  {
    name: "alternates-column",
    value: "N",
    many: true,
    summary: "preview, import: column of other wordings, from 1",
  },
  { name: "tags-column", value: "N", summary: "preview, import: column of tags, from 1" },
];

export function readingOf(options: Options): Partial<UploadReading> {
  return given({
    header_rows: wholeNumber(options.text("header-rows"), "--header-rows"),
    delimiter: options.text("delimiter"),
    columns: columnsOf(options),
    doc_id: options.text("replace"),
    knowledge_base_id: options.text("base"),
  });
}

/** Half a choice would leave the other half to be guessed. */
function columnsOf(options: Options): ImportColumns | undefined {
  const column = (name: string) => wholeNumber(options.text(name), `--${name}`);
  const [question, answer, tags] = [
    column("question-column"),
    column("answer-column"),
    column("tags-column"),
  ];
  const alternates = options
    .texts("alternates-column")
    .flatMap((written) => wholeNumber(written, "--alternates-column") ?? []);
  if (question !== undefined && answer !== undefined)
    return { question, answer, alternates, ...(tags !== undefined && { tags }) };
  if (question !== undefined || answer !== undefined)
    throw new UsageError("--question-column and --answer-column go together");
  if (tags !== undefined || alternates.length > 0)
    throw new UsageError("--tags-column and --alternates-column need --question-column and --answer-column");
  return undefined;
}
