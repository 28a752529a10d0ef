import { z } from "zod";
import { count, seconds } from "./values.ts";

export const knowledgeSettings = z.object({
  IMPORT_ANSWER_SECONDS: seconds
    .default(20)
    .describe("How long an import call waits for its files. Unfinished files continue in the background"),
  IMPORT_DIRECTORY: z
    .string()
    .min(1)
    .default("/tmp")
    .describe("Directory where a worker stores files while it reads them. Each file is removed afterwards"),
  IMPORTS_AT_ONCE: count(1, 64)
    .default(2)
    .describe("Files that one worker reads at the same time. Agents take turns"),
  IMPORT_CALLS_PER_AGENT: count(1, 64)
    .default(4)
    .describe(
      "Files of one agent that one worker downloads, converts or embeds at the same time. Up to eight agents run side by side",
    ),
  IMPORT_WAITING_FILES_MAX: count(1, 100_000)
    .default(200)
    .describe("Queue limit: files of one agent waiting for import. A call that exceeds it is rejected"),
  IMPORT_FILE_MEGABYTES: z.coerce
    .number()
    .positive()
    .max(2_000)
    .default(50)
    .describe("Largest file accepted, in MB"),
  IMPORT_DOWNLOAD_SECONDS: seconds.default(120).describe("Timeout for downloading one file"),
  IMPORT_DOWNLOAD_KILOBYTES_PER_SECOND: z.coerce
    .number()
    .min(0)
    .max(100_000)
    .default(10)
    .describe("Slowest download accepted, measured over ten seconds. Slower downloads are aborted"),
  BUILT_IN_ENCODER: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .describe(
      "`true`: agents without an embedding model find paraphrases with the built-in sentence encoder (English, 90 MB of memory per process that uses it)",
    ),
  CHINESE_GLOSSES: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .describe(
      "`true`: the built-in encoder reads Chinese by English glosses of its words, to offer more stored questions. Takes effect for documents imported afterwards",
    ),
  SHIPPED_SYNONYMS: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .describe(
      "`true`: a word of a question also finds its synonyms from the shipped English and Chinese lists. Synonyms of an agent always count",
    ),
  KNOWLEDGE_CACHE_MEGABYTES: z.coerce
    .number()
    .min(0)
    .max(100_000)
    .default(64)
    .describe(
      "Memory per process for an LRU cache of small knowledge bases, which are then searched without PostgreSQL. 0 turns it off",
    ),
  DOCUMENT_PAIRS_MAX: count(1, 10_000_000).default(100_000).describe("Question-answer pairs per document"),
  DOCUMENT_TOKENS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .default(2_000_000)
    .describe(
      "Model tokens that converting one document may cost. The rest of the document is converted without a model",
    ),
});

export function readKnowledge(settings: z.infer<typeof knowledgeSettings>) {
  return {
    answerWithinMs: settings.IMPORT_ANSWER_SECONDS * 1000,
    directory: settings.IMPORT_DIRECTORY,
    importsAtOnce: settings.IMPORTS_AT_ONCE,
    callsPerAgent: settings.IMPORT_CALLS_PER_AGENT,
    waitingFilesMax: settings.IMPORT_WAITING_FILES_MAX,
    fileBytesMax: Math.floor(settings.IMPORT_FILE_MEGABYTES * 1_048_576),
    downloadTimeoutMs: settings.IMPORT_DOWNLOAD_SECONDS * 1000,
    downloadBytesPerSecondMin: settings.IMPORT_DOWNLOAD_KILOBYTES_PER_SECOND * 1000,
    builtInEncoder: settings.BUILT_IN_ENCODER,
    chineseGlosses: settings.CHINESE_GLOSSES,
    shippedSynonyms: settings.SHIPPED_SYNONYMS,
    cacheBytesMax: Math.floor(settings.KNOWLEDGE_CACHE_MEGABYTES * 1_048_576),
    pairsMax: settings.DOCUMENT_PAIRS_MAX,
    documentTokensMax: settings.DOCUMENT_TOKENS_MAX,
  };
}
