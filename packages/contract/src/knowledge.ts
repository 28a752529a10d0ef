import { z } from "zod";
import { ImportColumns } from "./import-columns.ts";
import { absentIfEmpty, fileUrl, identifier, text, words } from "./values.ts";

export const QUESTION_MAX_CHARACTERS = 1_000;
export const ANSWER_MAX_CHARACTERS = 25_000;
export const QA_LIST_MAX_PAIRS = 10_000;
export const FILES_MAX_ENTRIES = 20;
export const CHUNK_TOKEN_DEFAULT = 600;

export const QaPair = z
  .object({ question: words(QUESTION_MAX_CHARACTERS), answer: words(ANSWER_MAX_CHARACTERS) })
  .meta({ id: "QaPair" });
export type QaPair = z.output<typeof QaPair>;

export const DocumentResult = z
  .strictObject({ doc_id: identifier, doc_name: z.string() })
  .meta({ id: "DocumentResult" });
export type DocumentResult = z.output<typeof DocumentResult>;

export const DocumentsResult = z
  .strictObject({
    doc: z.array(DocumentResult).describe("Documents added or updated"),
    failed: z.array(z.string()).describe("Names of the files that failed; a name may repeat"),
  })
  .meta({ id: "DocumentsResult" });
export type DocumentsResult = z.output<typeof DocumentsResult>;

/** A list that is missing (or null) is missed in the words of the rule that asks for it. */
const requiredList = <Entry extends z.ZodType>(entry: Entry, when: string) =>
  z.array(entry, {
    error: (issue) => (issue.input === undefined || issue.input === null ? `is required ${when}` : undefined),
  });

const urlFields = { file_url: absentIfEmpty(fileUrl), source_url: absentIfEmpty(fileUrl) };
const fileName = words(200);

type UrlField = keyof typeof urlFields;
type UrlFields = { [Field in UrlField]?: string | null | undefined };

/** Each purpose has its own URL field; the other one is accepted in its place. */
function urlOf(entry: UrlFields, own: UrlField): string | undefined {
  const other = own === "file_url" ? "source_url" : "file_url";
  return entry[own] ?? entry[other] ?? undefined;
}

function requireUrl(own: UrlField, when: string) {
  return ({ value, issues }: { value: UrlFields; issues: z.core.$ZodRawIssue[] }) => {
    if (urlOf(value, own) !== undefined) return;
    issues.push({ code: "custom", input: value, path: [own], message: `is required ${when}` });
  };
}

function addedFile(purpose: "QA_FILE" | "FILE_2_QA", own: UrlField) {
  return z
    .object({ ...urlFields, file_name: fileName })
    .check(requireUrl(own, `when purpose is ${purpose}`))
    .meta({ id: purpose === "QA_FILE" ? "QaFileEntry" : "ConvertedFileEntry" })
    .transform((entry) => ({ url: urlOf(entry, own)!, file_name: entry.file_name }));
}

const importFields = {
  header_row: z.int32().min(0).nullish().describe("Number of header rows of a CSV file. Detected if omitted"),
  columns: ImportColumns.nullish().describe(
    "Columns of a CSV file, where their names and cells do not say which holds questions and which answers",
  ),
  chunk_token: z
    .int32()
    .min(1)
    .nullish()
    .meta({
      default: CHUNK_TOKEN_DEFAULT,
      description:
        "Tokens a chunk, when a document is converted. 64 to 4,000 are used; the import's problems say so",
    })
    .transform((value) => value ?? CHUNK_TOKEN_DEFAULT),
  splitter: absentIfEmpty(text(100)).describe(
    "Literal separator of a converted document, or the one-character delimiter of a CSV file. One that cannot be a delimiter is ignored for QA_FILE",
  ),
};

const baseField = {
  knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
};

const AddQaText = z
  .object({
    purpose: z.literal("QA_TEXT"),
    ...baseField,
    name: words(200, "when purpose is QA_TEXT"),
    qaList: requiredList(QaPair, "when purpose is QA_TEXT").min(1).max(QA_LIST_MAX_PAIRS),
    ...importFields,
  })
  .meta({ id: "AddQaText" });

const AddQaFile = z
  .object({
    purpose: z.literal("QA_FILE"),
    ...baseField,
    files: requiredList(addedFile("QA_FILE", "file_url"), "when purpose is QA_FILE")
      .min(1)
      .max(FILES_MAX_ENTRIES),
    ...importFields,
  })
  .meta({ id: "AddQaFile" });

const AddConvertedFile = z
  .object({
    purpose: z.literal("FILE_2_QA"),
    ...baseField,
    files: requiredList(addedFile("FILE_2_QA", "source_url"), "when purpose is FILE_2_QA")
      .min(1)
      .max(FILES_MAX_ENTRIES),
    ...importFields,
  })
  .meta({ id: "AddConvertedFile" });

/** 4.1: fields of another purpose are ignored. */
export const AddQaRequest = z.discriminatedUnion("purpose", [AddQaText, AddQaFile, AddConvertedFile]).meta({
  id: "AddQaRequest",
  examples: [
    {
      purpose: "QA_TEXT",
      name: "Opening hours",
      qaList: [{ question: "When do you open?", answer: "At nine, every day but Sunday." }],
    },
    {
      purpose: "QA_FILE",
      files: [{ file_url: "https://files.example.com/hours.csv", file_name: "hours.csv" }],
    },
  ],
});
export type AddQaRequest = z.output<typeof AddQaRequest>;

const UpdatedFile = z
  .object({
    // An id that is none of ours is unknown, not malformed: its file goes to `failed`, the others go on.
    doc_id: text(100).toLowerCase(),
    ...urlFields,
    file_name: fileName,
  })
  .check(requireUrl("source_url", "for each file"))
  .meta({ id: "UpdatedFileEntry" })
  .transform((entry) => ({
    doc_id: entry.doc_id,
    url: urlOf(entry, "source_url")!,
    file_name: entry.file_name,
  }));
type UpdatedFile = z.output<typeof UpdatedFile>;

type UpdateFields = {
  doc_id?: string | null | undefined;
  qaList?: QaPair[] | null | undefined;
  files?: UpdatedFile[] | null | undefined;
};

const isEmpty = (list: unknown[] | null | undefined) =>
  list === null || list === undefined || list.length === 0;

function updateProblem({
  doc_id,
  qaList,
  files,
}: UpdateFields): { path: PropertyKey[]; message: string } | undefined {
  if (isEmpty(qaList) && isEmpty(files))
    return { path: [], message: "must contain qaList or files; both are empty" };
  if (!isEmpty(qaList) && !isEmpty(files))
    return { path: [], message: "must contain either qaList or files, not both" };
  if (!isEmpty(files)) return repeatedDocument(files!);
  if (doc_id === undefined || doc_id === null || doc_id === "")
    return { path: ["doc_id"], message: "is required when updating with qaList" };
  return identifier.safeParse(doc_id).success
    ? undefined
    : { path: ["doc_id"], message: "must be an id given by this service (a UUID)" };
}

function repeatedDocument(files: UpdatedFile[]): { path: PropertyKey[]; message: string } | undefined {
  const first = new Map<string, number>();
  for (const [index, { doc_id }] of files.entries()) {
    const earlier = first.get(doc_id);
    if (earlier !== undefined) {
      return {
        path: ["files", index, "doc_id"],
        message: `is the same as in files[${earlier}]; name each document once`,
      };
    }
    first.set(doc_id, index);
  }
  return undefined;
}

/** 4.2: an empty list counts as none, and a doc_id beside files is ignored. */
export const UpdateQaRequest = z
  .object({
    // Read as a string and judged below, because beside files even a malformed one is ignored.
    doc_id: z.string().nullish().catch(undefined).meta({ description: "Required when updating with qaList" }),
    knowledge_base_id: absentIfEmpty(identifier).describe("The document's knowledge base if omitted"),
    qaList: z
      .array(QaPair)
      .max(QA_LIST_MAX_PAIRS)
      .nullish()
      .describe("The complete list, which replaces all pairs"),
    files: z.array(UpdatedFile).max(FILES_MAX_ENTRIES).nullish(),
    ...importFields,
  })
  .check(({ value, issues }) => {
    const problem = updateProblem(value);
    if (problem !== undefined) issues.push({ code: "custom", input: value, ...problem });
  })
  .meta({ id: "UpdateQaRequest" })
  .transform(({ doc_id, qaList, files, ...rest }) =>
    isEmpty(files)
      ? { ...rest, with: "qaList" as const, doc_id: identifier.parse(doc_id), qaList: qaList! }
      : { ...rest, with: "files" as const, files: files! },
  );
export type UpdateQaRequest = z.output<typeof UpdateQaRequest>;
