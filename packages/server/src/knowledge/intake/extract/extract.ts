import { findFileKind, type FileKind } from "../file-kind.ts";
import { failed, type FileFailure, type FileProblem } from "../outcome.ts";
import { textOfBlocks } from "./block.ts";
import { chunkSections, CHUNK_TOKENS_MAX, CHUNK_TOKENS_MIN, type Chunk } from "./chunks.ts";
import type { ExtractedFile, ExtractJob } from "./extract-file.ts";
import { findQuestions } from "./question-structure.ts";
import { readBlocks, textBlocks, type ReadBlocks } from "./read-blocks.ts";
import { sectionsOf, type Section } from "./sections.ts";

/** Runs in a worker: what a document says, as pairs where it asks and answers itself and as chunks where it does not. */
export async function extract(job: ExtractJob): Promise<ExtractedFile | FileFailure> {
  const kind = await findFileKind(job);
  if (typeof kind !== "string") return kind;
  const read = await readBlocks(kind, job);
  if (read.kind === "failed") return read;
  const problems = [...read.problems];
  const tokensMax = Math.min(CHUNK_TOKENS_MAX, Math.max(CHUNK_TOKENS_MIN, job.chunkToken));
  if (tokensMax !== job.chunkToken) problems.push(otherChunkToken(job.chunkToken, tokensMax));

  const pairs: ExtractedFile["pairs"] = [];
  const chunks: Chunk[] = [];
  for await (const sections of sectionsToTake(kind, read, job)) {
    const found = findQuestions(sections.list, job.limits);
    pairs.push(...found.pairs);
    const rest = found.pairs.length === 0 ? (sections.whole ?? found.rest) : found.rest;
    for (const chunk of chunkSections(rest, tokensMax)) chunks.push({ ordinal: chunks.length, ...chunk });
    if (chunks.length > job.limits.chunksMax || pairs.length > job.limits.pairsMax)
      return failed(
        "too_large",
        `the document has more than ${job.limits.chunksMax} parts; split it into several files`,
      );
  }
  if (pairs.length === 0 && chunks.length === 0) return failed("empty", "the document contains no text");
  return { kind: "extracted", pairs, chunks, problems };
}

/** `whole`: the sections as one, where the caller said how the document is parted. */
type SectionsToTake = { list: Section[]; whole?: Section[] };

/** Each piece between splitters is read for itself, so that nothing reaches over a place where the caller parted it. */
async function* sectionsToTake(
  kind: FileKind,
  { blocks, source }: ReadBlocks,
  { splitter }: Pick<ExtractJob, "splitter">,
): AsyncGenerator<SectionsToTake> {
  const literal = readEscapes(splitter ?? "");
  const pieces = literal === "" ? [] : (source ?? textOfBlocks(blocks)).split(literal);
  if (pieces.length < 2) {
    yield { list: sectionsOf(blocks) };
    return;
  }
  for (const piece of pieces) {
    const list = sectionsOf(await textBlocks(kind === "md" ? "md" : "txt", piece));
    const path = list.find(({ level, blocks: own }) => level > 0 || own.length > 0)?.path ?? [];
    yield { list, whole: [{ path, level: path.length, blocks: [{ kind: "paragraph", text: piece }] }] };
  }
}

const ESCAPES: Record<string, string> = { "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\" };

function readEscapes(splitter: string): string {
  return splitter.replace(/\\[ntr\\]/g, (escape) => ESCAPES[escape] ?? escape);
}

function otherChunkToken(asked: number, used: number): FileProblem {
  return asked < used
    ? { cause: "chunk_token_raised", detail: `chunk_token ${asked} was raised to ${used}, the minimum` }
    : { cause: "chunk_token_lowered", detail: `chunk_token ${asked} was lowered to ${used}, the maximum` };
}
