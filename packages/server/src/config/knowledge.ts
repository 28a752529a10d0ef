import { z } from "zod";
import { count, seconds } from "./values.ts";

export const knowledgeSettings = z.object({
  IMPORT_ANSWER_SECONDS: seconds
    .default(20)
    .describe("How long a call that brings files waits for them; what is not done then goes on by itself"),
  IMPORT_DIRECTORY: z
    .string()
    .min(1)
    .default("/tmp")
    .describe("Where a worker keeps files while it reads them; each is removed afterwards"),
  IMPORTS_AT_ONCE: count(1, 64)
    .default(2)
    .describe("Files that one worker reads at the same time; agents take turns"),
  IMPORT_CALLS_PER_AGENT: count(1, 64)
    .default(4)
    .describe(
      "Files of one agent that one worker fetches, converts or embeds at the same time; eight agents may do so at once",
    ),
  IMPORT_WAITING_FILES_MAX: count(1, 100_000)
    .default(200)
    .describe("Files of one agent that may wait to be imported; a call with more is refused"),
  IMPORT_FILE_MEGABYTES: z.coerce
    .number()
    .positive()
    .max(2_000)
    .default(50)
    .describe("Largest file that is taken"),
  IMPORT_DOWNLOAD_SECONDS: seconds.default(120).describe("Longest time a file may take to download"),
  IMPORT_DOWNLOAD_KILOBYTES_PER_SECOND: z.coerce
    .number()
    .min(0)
    .max(100_000)
    .default(10)
    .describe("A file's server that sends less than this over ten seconds is not waited for"),
  BUILT_IN_ENCODER: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .describe(
      "`true`: agents without an embedding model use the built-in sentence encoder (English, 25 MB of memory a process) to find what was meant",
    ),
  KNOWLEDGE_CACHE_MEGABYTES: z.coerce
    .number()
    .min(0)
    .max(100_000)
    .default(64)
    .describe(
      "Memory of one process for small knowledge bases, which are then searched without PostgreSQL; those used longest ago make room, 0 keeps none",
    ),
  DOCUMENT_PAIRS_MAX: count(1, 10_000_000).default(100_000).describe("Pairs of one document"),
  DOCUMENT_TOKENS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .default(2_000_000)
    .describe(
      "Tokens of a model that one document may cost; what is left is then made into pairs without a model",
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
    cacheBytesMax: Math.floor(settings.KNOWLEDGE_CACHE_MEGABYTES * 1_048_576),
    pairsMax: settings.DOCUMENT_PAIRS_MAX,
    documentTokensMax: settings.DOCUMENT_TOKENS_MAX,
  };
}
