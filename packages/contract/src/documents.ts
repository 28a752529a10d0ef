import { z } from "zod";
import { ANSWER_MAX_CHARACTERS, QA_LIST_MAX_PAIRS, QUESTION_MAX_CHARACTERS } from "./knowledge.ts";
import { tags } from "./tags.ts";
import {
  absentIfEmpty,
  identifier,
  pageFields,
  pageOf,
  text,
  timestamp,
  wholeNumber,
  words,
} from "./values.ts";

// Neighbours of 4.1 and 4.2. Fields beyond those of the API they come from are marked as ours.

export const CreateKnowledgeBaseRequest = z
  .object({ name: words(100), desc: absentIfEmpty(text(2_000)) })
  .meta({ id: "CreateKnowledgeBaseRequest" });
export type CreateKnowledgeBaseRequest = z.output<typeof CreateKnowledgeBaseRequest>;

export const CreateKnowledgeBaseReply = z
  .object({ knowledge_base_id: identifier })
  .meta({ id: "CreateKnowledgeBaseReply" });
export type CreateKnowledgeBaseReply = z.output<typeof CreateKnowledgeBaseReply>;

const count = z.int().min(0);

export const KnowledgeBaseQuery = z.object({
  page: wholeNumber(1, 1_000_000).default(1),
  page_size: wholeNumber(1, 1_000).default(1_000),
});

const estimatedTokens = count.describe("Estimated from the number of characters");

export const KnowledgeBasePage = z
  .object({
    knowledge_base: z.array(
      z.object({
        id: identifier,
        name: z.string(),
        desc: z.string(),
        doc: count.describe("Documents"),
        chunk: count.describe("Pairs"),
        token: estimatedTokens,
        owner_id: z.null(),
        owner_email: z.null(),
        is_default: z.boolean().describe("Used if no knowledge base is named"),
      }),
    ),
    total: count,
  })
  .meta({ id: "KnowledgeBasePage" });
export type KnowledgeBasePage = z.output<typeof KnowledgeBasePage>;

export const DocumentStatus = z.enum(["PENDING", "PROCESSING", "AVAILABLE", "REPLACING", "FAILED"]).meta({
  id: "DocumentStatus",
  description: "REPLACING: an update is at work and the old pairs are served",
});
export type DocumentStatus = z.output<typeof DocumentStatus>;

export const DocumentQuery = z.object({
  knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
  page: wholeNumber(1, 1_000_000).default(1),
  page_size: wholeNumber(1, 100).default(10),
});

const ListedDocument = z
  .object({
    id: identifier,
    name: z.string(),
    format: z.enum(["QA_TEXT", "QA_FILE", "FILE_2_QA"]),
    source_url: z.string().nullable(),
    status: DocumentStatus,
    chunk: count.describe("Pairs"),
    token: estimatedTokens,
    char_count: count,
    create_time: timestamp,
    update_time: timestamp,
    creator_id: z.null(),
    creator_email: z.null(),
  })
  .meta({ id: "ListedDocument" });

export const DocumentPage = z
  .object({ list: z.array(ListedDocument), total: count })
  .meta({ id: "DocumentPage" });
export type DocumentPage = z.output<typeof DocumentPage>;

const DETAILS_MAX = 100;

const oneOrMore = (max: number) =>
  z
    .union([identifier, z.array(identifier).min(1).max(max)], {
      error: ({ input }) =>
        Array.isArray(input) && input.length > max
          ? `must name at most ${max} documents`
          : "must be an id, repeated for each further one",
    })
    .transform((value) => (Array.isArray(value) ? value : [value]));

export const DocumentDetailsQuery = z.object({
  data_ids: oneOrMore(DETAILS_MAX).optional().describe("Repeat the parameter for each document"),
  import_id: identifier
    .optional()
    .describe("The id of one import call, from its header Signalbox-Import. Shows the result of each file"),
});

export const ImportProblem = z
  .object({
    line: z.int().optional(),
    column: z.int().optional(),
    cause: z.string().describe("Cause of the problem, as a stable word"),
    detail: z.string(),
  })
  .meta({ id: "ImportProblem" });

export const DocumentImport = z
  .object({
    import_id: identifier,
    state: z
      .enum(["waiting", "working", "held", "current", "superseded", "failed"])
      .describe("held: it waits for an editor, because it makes a saved question fail"),
    file_name: z.string().nullable(),
    source_url: z.string().nullable(),
    rows_read: count.describe("Equals pairs + rejected + duplicates + blank once the import has succeeded"),
    pairs: count,
    rejected: count,
    duplicates: count,
    blank: count,
    conflicts: count.describe("Pairs whose question also occurs with another answer. They are kept"),
    problems: z.array(ImportProblem).describe("The first problems"),
    encoding: z.string().nullable(),
    delimiter: z.string().nullable(),
    header_rows: z.int().nullable(),
    ignored_columns: z.int().nullable(),
    chunks_total: count,
    chunks_done: count,
    chunks_failed: count,
    unsupported: count.describe("Pairs of the model that the source does not support and that were dropped"),
    prompt_tokens: count,
    completion_tokens: count,
    cause: z.string().nullable().describe("Cause of the failure, as a stable word"),
    detail: z.string().nullable(),
    line: z.int().nullable(),
    create_time: timestamp,
    finish_time: timestamp.nullable(),
  })
  .meta({ id: "DocumentImport" });
export type DocumentImport = z.output<typeof DocumentImport>;

export const DocumentDetail = z
  .object({
    data_id: identifier,
    data_status: DocumentStatus,
    doc_name: z.string(),
    knowledge_base_id: identifier,
    pairs: count.describe("Served now"),
    pairs_with_vectors: count.nullable().describe("null if no embedding model is configured"),
    last_import: DocumentImport.nullable().describe("The newest import, or the one asked for"),
  })
  .meta({ id: "DocumentDetail" });
export type DocumentDetail = z.output<typeof DocumentDetail>;

export const DocumentDetails = z.array(DocumentDetail).meta({ id: "DocumentDetails" });
export type DocumentDetails = z.output<typeof DocumentDetails>;

export const DeleteDocumentsQuery = z.object({
  doc: z
    .string()
    .transform((value) => value.split(",").map((id) => id.trim()))
    .pipe(z.array(identifier).min(1).max(DETAILS_MAX))
    .describe("Comma-separated ids"),
});

const KEYWORDS_MAX = 50;

export const QaChunk = z
  .object({
    question: words(QUESTION_MAX_CHARACTERS),
    answer: words(ANSWER_MAX_CHARACTERS),
    keywords: z
      .array(words(QUESTION_MAX_CHARACTERS))
      .max(KEYWORDS_MAX)
      .nullish()
      .describe("Other words that find the pair"),
    tags: tags
      .nullish()
      .describe(
        "Short words to sort pairs by. If omitted in a list that replaces a document, a pair keeps the tags it has",
      ),
  })
  .meta({ id: "QaChunk" });
export type QaChunk = z.output<typeof QaChunk>;

export const AddQaChunksRequest = z
  .object({
    doc_id: identifier,
    chunks: z.array(QaChunk).min(1).max(QA_LIST_MAX_PAIRS),
    replace: z
      .boolean()
      .nullish()
      .describe("If true, they replace all pairs of the document instead of being appended"),
  })
  .meta({ id: "AddQaChunksRequest" });
export type AddQaChunksRequest = z.output<typeof AddQaChunksRequest>;

export const QaChunkQuery = z.object({ doc_id: identifier, ...pageFields });

export const QaChunkPage = pageOf(QaChunk).meta({ id: "QaChunkPage" });
export type QaChunkPage = z.output<typeof QaChunkPage>;

const share = z.number().min(0).max(1);

export const MatchRequest = z
  .object({
    prompt: words(25_000),
    top_k: z.int().min(1).max(50).nullish(),
    embedding_rate: share.nullish().describe("Weight of vectors against words; 0 uses words alone"),
    group_ids: z.array(identifier).max(100).nullish().describe("Only these knowledge bases; all if omitted"),
    data_ids: z.array(identifier).max(100).nullish().describe("Only these documents; all if omitted"),
    doc_correlation: share.nullish().describe("Minimum score"),
    score_parts: z.boolean().nullish().describe("If true, explain each score"),
  })
  .meta({ id: "MatchRequest" });
export type MatchRequest = z.output<typeof MatchRequest>;

export const MatchReply = z
  .object({
    total: count,
    list: z.array(
      z.object({
        content: z.string().describe("Question and answer"),
        data_id: identifier,
        score: share,
        question: z.string(),
        answer: z.string(),
        knowledge_base_id: identifier,
        revision: z.int(),
        would: z
          .enum(["direct", "model", "offer", "fallback"])
          .describe(
            "What the agent would do if this were the best pair: answer word for word, answer from it, offer its question, or none of these",
          ),
        parts: z
          .object({
            question: z.number(),
            trigram: z.number(),
            answer: z.number(),
            lexical: z.number(),
            semantic: z.number().nullable(),
          })
          .optional(),
      }),
    ),
  })
  .meta({ id: "MatchReply" });
export type MatchReply = z.output<typeof MatchReply>;
