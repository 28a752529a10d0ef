import { z } from "zod";
import { AgentPath } from "./agents.ts";
import { DocumentImport, ImportProblem } from "./documents.ts";
import { FoundColumns, ImportColumns } from "./import-columns.ts";
import { pairId } from "./pair-id.ts";
import { PairAuthor } from "./pairs.ts";
import { absentIfEmpty, identifier, pageOf, text, timestamp, wholeNumber, words } from "./values.ts";

// Importing a file from disk: upload it in parts, look at a preview, correct how it is read, import it.

const count = z.int().min(0);

/** As Base64 it fits into the ordinary body limit. */
export const UPLOAD_PART_MAX_BYTES = 524_288;

export const UploadPath = AgentPath.extend({ upload_id: identifier });

export const CreateUploadRequest = z
  .strictObject({
    file_name: words(200).describe("With its extension: it says how text files are read"),
    size_bytes: z.int().min(1).describe("Size of the whole file"),
  })
  .meta({ id: "CreateUploadRequest", examples: [{ file_name: "faq.xlsx", size_bytes: 18_240 }] });
export type CreateUploadRequest = z.output<typeof CreateUploadRequest>;

export const AddUploadPartRequest = z
  .strictObject({
    offset: count.describe("received_bytes of the upload. A part that is there already may be sent again"),
    data: z
      .base64()
      .min(4)
      .max(Math.ceil(UPLOAD_PART_MAX_BYTES / 3) * 4)
      .describe("At most 512 KiB of the file, as Base64"),
  })
  .meta({ id: "AddUploadPartRequest", examples: [{ offset: 0, data: "cXVlc3Rpb24sYW5zd2VyCg==" }] });
export type AddUploadPartRequest = z.output<typeof AddUploadPartRequest>;

export const UploadReading = z
  .strictObject({
    header_rows: z
      .int()
      .min(0)
      .max(20)
      .nullish()
      .describe("Rows up to and including the header, title lines included. Detected if omitted"),
    delimiter: absentIfEmpty(text(20)).describe(
      "One character, or tab, comma, semicolon or pipe. Detected if omitted",
    ),
    columns: ImportColumns.nullish().describe("Recognised by their names and cells if omitted"),
    doc_id: absentIfEmpty(identifier).describe("The document to replace. A new one if omitted"),
    knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
  })
  .meta({
    id: "UploadReading",
    examples: [{ header_rows: 3, columns: { question: 1, answer: 2 } }],
  });
export type UploadReading = z.output<typeof UploadReading>;

const shown = { question: z.string(), answer: z.string() };

export const UploadPreview = z
  .object({
    reads_as: z
      .enum(["pairs", "document"])
      .nullable()
      .describe("document: sections of its text become pairs. null if the file cannot be read"),
    failure: z
      .object({ cause: z.string(), detail: z.string(), line: z.int().nullable() })
      .nullable()
      .describe("Why an import would fail"),
    encoding: z.string().nullable(),
    delimiter: z.string().nullable(),
    header_rows: count.nullable(),
    columns: FoundColumns.nullable().describe("null for a document without columns"),
    certain: z.boolean().describe("false: `columns` is needed in the next call, because nothing is guessed"),
    rows: z
      .array(z.object({ line: z.int(), cells: z.array(z.string()) }))
      .describe("The first rows. Long cells are cut"),
    rows_read: count,
    pairs: count,
    rejected: count,
    duplicates: count,
    blank: count,
    conflicts: count.describe("Pairs whose question stands in the file with another answer too"),
    sections: count.describe("Sections of a document that become pairs"),
    problems: z.array(ImportProblem).describe("Up to 200"),
    first_pairs: z.array(z.object(shown)),
    existing: z
      .object({
        same: count.describe("Pairs of the file that the knowledge base already has"),
        contradictions: count.describe("Questions that it has with another answer"),
        examples: z
          .array(
            z.object({ line: z.int().nullable(), ...shown, pair_id: pairId, existing_answer: z.string() }),
          )
          .describe("The first contradictions"),
      })
      .describe("Compared with the knowledge base, without the document to replace"),
  })
  .meta({ id: "UploadPreview" });
export type UploadPreview = z.output<typeof UploadPreview>;

export const Upload = z
  .object({
    upload_id: identifier,
    file_name: z.string(),
    size_bytes: count,
    received_bytes: count.describe("Where to continue after an interruption"),
    preview: UploadPreview.nullable().describe("null until the last one that was asked for is ready"),
    create_time: timestamp,
  })
  .meta({ id: "Upload" });
export type Upload = z.output<typeof Upload>;

export const DocumentPath = AgentPath.extend({ doc_id: identifier });

export const DocumentRevision = z
  .object({
    doc_id: identifier,
    revision: count,
    change: z
      .enum(["import", "append", "edit", "restore"])
      .describe(
        "import: all pairs were replaced. append: pairs were added. edit: one pair was changed. restore: the pairs of an earlier revision came back",
      ),
    can_restore: z.boolean().describe("restoreRevision can bring its pairs back"),
    author: PairAuthor.nullable().describe("null if it was made before authors were recorded"),
    ...DocumentImport.pick({
      import_id: true,
      state: true,
      file_name: true,
      rows_read: true,
      pairs: true,
      rejected: true,
      duplicates: true,
      blank: true,
      conflicts: true,
      problems: true,
      chunks_total: true,
      chunks_done: true,
      cause: true,
      detail: true,
      line: true,
      create_time: true,
      finish_time: true,
    }).shape,
  })
  .meta({ id: "DocumentRevision" });
export type DocumentRevision = z.output<typeof DocumentRevision>;

export const DocumentRevisionPage = pageOf(DocumentRevision).meta({ id: "DocumentRevisionPage" });
export type DocumentRevisionPage = z.output<typeof DocumentRevisionPage>;

export const RevisionQuery = z.strictObject({ revision: wholeNumber(1, 999_999_999) });

export const RestoreRevisionRequest = z
  .strictObject({
    revision: z
      .int()
      .min(0)
      .max(999_999_999)
      .describe("A revision that can be restored. 0: as before the first import, without pairs"),
  })
  .meta({ id: "RestoreRevisionRequest", examples: [{ revision: 1 }] });
export type RestoreRevisionRequest = z.output<typeof RestoreRevisionRequest>;

export const PublishRevisionRequest = z
  .strictObject({ revision: z.int().min(1).max(999_999_999).describe("A revision that is held back") })
  .meta({ id: "PublishRevisionRequest", examples: [{ revision: 2 }] });
export type PublishRevisionRequest = z.output<typeof PublishRevisionRequest>;

export const RefusedRows = z
  .object({
    list: z
      .array(ImportProblem.extend({ cells: z.array(z.string()) }))
      .describe("The first 1,000, and 1 million characters at most"),
    total: count,
  })
  .meta({ id: "RefusedRows" });
export type RefusedRows = z.output<typeof RefusedRows>;
