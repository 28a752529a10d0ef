import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { objectKey, type EngineObject, type Work } from "../../engine/index.ts";
import {
  downloadFile,
  findFileKind,
  holdsPairs,
  type FileOnDisk,
  type FileFailure,
} from "../intake/index.ts";
import { convertNextChunks, extractChunks, publishConverted } from "./convert-document.ts";
import { embedNextPairs } from "./embed-pairs.ts";
import { importPairs } from "./import-pairs.ts";
import { restoreContent } from "./restore-content.ts";
import type { IngestParts, StepOutcome } from "./ingest-parts.ts";
import { claimRevision, endCall, type ClaimedRevision } from "./ingest-store.ts";
import { failRevision } from "./revision-store.ts";
import { makePreview } from "../uploads/make-preview.ts";
import { writeUpload } from "../uploads/upload-store.ts";

/** One call reads one file, or converts chunks for a while. */
const LONGEST_MS = 600_000;
/** A file that ends the worker each time it is read is not read for ever. */
const ATTEMPTS_MAX = 5;
/** Long enough that files of an agent over its share are not called again and again while they wait. */
const CALL_WAIT_MS = 15_000;
/** A fetched file waits for its agent's turn: behind few files of its own, and one of each other agent. */
const READING_WAIT_MS = 240_000;
const TRY_AGAIN_MS = 1_000;

/** A file becoming pairs, the current revision, and then vectors. Every step is a row: a crash repeats at most one call. */
export function ingestObject(parts: IngestParts): EngineObject {
  return {
    name: "ingest",
    longestMs: LONGEST_MS,
    handlers: {
      run: (work) => admitted(parts, "run", work, () => run(parts, work)),
      embed: (work) => admitted(parts, "embed", work, () => embed(parts, work)),
      preview: (work) => admitted(parts, "preview", work, () => preview(parts, work)),
    },
  };
}

/** A call of an agent that has enough under way comes back later, because no handler waits long. */
async function admitted(
  { calls, engine, stopping }: IngestParts,
  handler: string,
  { agentId, id }: Work,
  work: () => Promise<void>,
): Promise<void> {
  const release = await calls.acquire(agentId, CALL_WAIT_MS, stopping);
  if (release === undefined) {
    await engine.send("ingest", handler, objectKey(agentId, id), TRY_AGAIN_MS);
    return;
  }
  try {
    await work();
  } finally {
    release();
  }
}

/** Runs `read` in its agent's turn. Nobody else's download or model is waited for while a place is held. */
async function inTurn(
  { readings }: IngestParts,
  { agentId }: ClaimedRevision,
  signal: AbortSignal,
  read: () => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const release = await readings.acquire(agentId, READING_WAIT_MS, signal);
  if (release === undefined) return signal.aborted ? "interrupted" : "more";
  try {
    return await read();
  } finally {
    release();
  }
}

async function run(parts: IngestParts, { agentId, id, ended }: Work): Promise<void> {
  const { db, engine, stopping } = parts;
  const revision = await claimRevision(db, agentId, id);
  if (revision === undefined) return;
  if (revision.attempts > ATTEMPTS_MAX) {
    await failRevision(db, agentId, id, {
      cause: "gave_up",
      detail: `the file could not be read in ${ATTEMPTS_MAX} attempts`,
    });
    return;
  }
  const signal = AbortSignal.any([ended, stopping]);
  const outcome = await takeStep(parts, revision, signal);
  await endCall(db, agentId, id);
  if (outcome === "interrupted" || outcome === "held") return;
  if (outcome === "published") await engine.send("ingest", "embed", objectKey(agentId, id));
  else if (outcome === "more") await engine.send("ingest", "run", objectKey(agentId, id));
  else await failRevision(db, agentId, id, outcome);
}

async function takeStep(
  parts: IngestParts,
  revision: ClaimedRevision,
  signal: AbortSignal,
): Promise<StepOutcome> {
  if (revision.isExtracted) {
    const converted = await convertNextChunks(parts, revision, signal);
    return converted === "done"
      ? inTurn(parts, revision, signal, () => publishConverted(parts, revision))
      : converted;
  }
  const { source } = revision;
  if ("restored" in source)
    return inTurn(parts, revision, signal, () => restoreContent(parts, revision, source.restored));
  return withFile(parts, { ...revision, source }, signal, (file) =>
    inTurn(parts, revision, signal, async () => {
      const reading = await readingOf(revision, file);
      if (typeof reading !== "string") return reading;
      return reading === "pairs" ? importPairs(parts, revision, file) : extractChunks(parts, revision, file);
    }),
  );
}

/** Decisions, 4.2: for a document given as text the type of the file decides. */
async function readingOf(
  { reading }: ClaimedRevision,
  file: FileOnDisk,
): Promise<"pairs" | "convert" | FileFailure> {
  if (reading === "pairs" || reading === "convert") return reading;
  const kind = await findFileKind(file);
  if (typeof kind !== "string") return kind;
  return holdsPairs(kind) ? "pairs" : "convert";
}

/** Whose pairs stand in a file. */
interface RevisionOfFile extends ClaimedRevision {
  source: { url: string } | { uploadId: string };
}

async function withFile(
  parts: IngestParts,
  revision: RevisionOfFile,
  signal: AbortSignal,
  use: (file: FileOnDisk) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const own = await mkdtemp(join(parts.directory, "signalbox-import-"));
  try {
    const file = await bringFile(parts, revision, own, signal);
    if ("kind" in file) return signal.aborted ? "interrupted" : file;
    return await use(file);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function bringFile(
  { db, outbound, fileBytesMax, downloadTimeoutMs, downloadBytesPerSecondMin }: IngestParts,
  { agentId, source, fileName }: RevisionOfFile,
  directory: string,
  signal: AbortSignal,
): Promise<FileOnDisk | FileFailure> {
  if ("uploadId" in source) {
    const file = await writeUpload(db, { agentId, fileName, ...source }, directory);
    return (
      file ?? {
        kind: "failed",
        cause: "upload_gone",
        detail: "the uploaded file was deleted; upload it again",
      }
    );
  }
  const downloaded = await downloadFile(outbound.imports, {
    url: source.url,
    fileName,
    directory,
    sizeBytesMax: fileBytesMax,
    timeoutMs: downloadTimeoutMs,
    bytesPerSecondMin: downloadBytesPerSecondMin,
    signal,
  });
  return downloaded.kind === "failed" ? downloaded : downloaded.file;
}

async function preview(parts: IngestParts, { agentId, id, ended }: Work): Promise<void> {
  const { readings, engine, stopping } = parts;
  const release = await readings.acquire(agentId, READING_WAIT_MS, AbortSignal.any([ended, stopping]));
  if (release === undefined) return;
  try {
    if (await makePreview(parts, agentId, id)) await engine.send("ingest", "preview", objectKey(agentId, id));
  } finally {
    release();
  }
}

async function embed(parts: IngestParts, { agentId, id, ended }: Work): Promise<void> {
  const { engine, stopping } = parts;
  const outcome = await embedNextPairs(parts, agentId, id, AbortSignal.any([ended, stopping]));
  if (outcome.kind === "more") await engine.send("ingest", "embed", objectKey(agentId, id), outcome.afterMs);
  else await parts.afterImport?.(agentId, id);
}
