import { z } from "zod";
import { absentIfEmpty, identifier, text, wholeNumber, words } from "./values.ts";

const COLUMNS_MAX = 200;
const column = wholeNumber(1, COLUMNS_MAX).optional();
const columnsIn = (written: string) => written.split(",").map((one) => Number(one.trim()));

const file = z
  .string()
  .meta({ format: "binary" })
  .describe(
    "Any file that can be imported: CSV, XLSX, PDF, DOCX, HTML, Markdown or text, or JSON as exported",
  );

/** A file from disk with how it is to be read, as a form; every field is a text there. */
export const UploadFileForm = z
  .strictObject({
    // It is never parsed: the schema describes it, and clients give a Blob.
    file: file as unknown as z.ZodType<Blob, Blob>,
    file_name: absentIfEmpty(words(200)).describe(
      "Name of the document, with its extension, which says how text files are read. That of the file if omitted",
    ),
    knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
    doc_id: absentIfEmpty(identifier).describe("The document to replace. A new one if omitted"),
    header_rows: wholeNumber(0, 20)
      .optional()
      .describe("Rows up to and including the header, titles above it counted. Detected if omitted"),
    delimiter: absentIfEmpty(text(20)).describe(
      "One character, or tab, comma, semicolon or pipe. Detected if omitted",
    ),
    question_column: column.describe("Column of questions, counted from 1. Recognised if omitted"),
    answer_column: column.describe("Column of answers, counted from 1. Needed with question_column"),
    alternates_columns: z
      .string()
      .regex(/^\d{1,3}(?: ?, ?\d{1,3}){0,19}$/, "must be numbers of columns between commas, such as 3,4")
      .optional()
      .describe("Columns of other wordings, between commas. Needs question_column")
      .transform((written) => (written === undefined ? [] : columnsIn(written)))
      .refine((columns) => columns.every((one) => one >= 1 && one <= COLUMNS_MAX), {
        error: `must be columns from 1 to ${COLUMNS_MAX}`,
      }),
    tags_column: column.describe("Column of tags. Needs question_column"),
  })
  .describe("A file and how it is read");

/** The fields beside the file. */
export const UploadFileFields = UploadFileForm.omit({ file: true }).check(({ value, issues }) => {
  const {
    question_column: question,
    answer_column: answer,
    alternates_columns: alternates,
    tags_column: tags,
  } = value;
  const isWhole = question !== undefined && answer !== undefined;
  if (isWhole || ([question, answer, tags].every((one) => one === undefined) && alternates.length === 0))
    return;
  issues.push({
    code: "custom",
    input: value,
    path: [question === undefined ? "question_column" : "answer_column"],
    message: "is required if another column is given",
  });
});
export type UploadFileFields = z.output<typeof UploadFileFields>;
