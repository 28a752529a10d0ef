import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { objectKey, type Engine, type EngineObject, type Work } from "../../engine/index.ts";
import type {
  BulkDatabase,
  Database,
  FairSemaphore,
  Log,
  Outbound,
  Sealer,
  ModelQuota,
} from "../../platform/index.ts";
import {
  downloadFile,
  findFileKind,
  type DownloadedFile,
  type FileFailure,
  type IntakeLimits,
} from "../intake/index.ts";
import { convertNextChunks, extractChunks, publishConverted } from "./convert-document.ts";
import type { Encoder } from "../encoder/encoder.ts";
import { embedNextPairs } from "./embed-pairs.ts";
import { importPairs } from "./import-pairs.ts";
import { claimRevision, endCall, type ClaimedRevision } from "./ingest-store.ts";
import { failRevision } from "./revision-store.ts";

export interface IngestParts {
  db: Database;
  bulk: BulkDatabase;
  engine: Engine;
  /** The way out to models, and the one to files: what may be called is not what may be read. */
  outbound: { models: Outbound; imports: Outbound };
  modelQuota: ModelQuota;
  /** Makes vectors for agents without a model of their own; undefined where it is switched off. */
  encoder: Encoder | undefined;
  sealer: Sealer;
  /** Files that are fetched, converted or embedded: such a call waits for others and holds little, so each agent has its own few. */
  calls: FairSemaphore;
  /** Files that are read: those need memory and processor, and agents take turns. */
  readings: FairSemaphore;
  limits: IntakeLimits;
  directory: string;
  fileBytesMax: number;
  downloadTimeoutMs: number;
  downloadBytesPerSecondMin: number;
  /** Tokens of a model that one document may cost. */
  documentTokensMax: number;
  log: Log;
  stopping: AbortSignal;
}

/** One call reads one file, or converts chunks for a while. */
const LONGEST_MS = 600_000;
/** A file that ends the worker each time it is read is not read for ever. */
const ATTEMPTS_MAX = 5;
const CALL_WAIT_MS = 5_000;
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
      detail: `reading this file did not come to an end in ${ATTEMPTS_MAX} attempts`,
    });
    return;
  }
  const signal = AbortSignal.any([ended, stopping]);
  const outcome = await takeStep(parts, revision, signal);
  await endCall(db, agentId, id);
  if (outcome === "interrupted") return;
  if (outcome === "published") await engine.send("ingest", "embed", objectKey(agentId, id));
  else if (outcome === "more") await engine.send("ingest", "run", objectKey(agentId, id));
  else await failRevision(db, agentId, id, outcome);
}

/** `interrupted`: somebody else goes on, or this process stops and the reconciler calls again. */
export type StepOutcome = "published" | "more" | "interrupted" | FileFailure;

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
  return withFile(parts, revision, signal, (file) =>
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
  file: DownloadedFile,
): Promise<"pairs" | "convert" | FileFailure> {
  if (reading === "pairs" || reading === "convert") return reading;
  const kind = await findFileKind(file);
  if (typeof kind !== "string") return kind;
  return kind === "csv" || kind === "xlsx" ? "pairs" : "convert";
}

async function withFile(
  { outbound, directory, fileBytesMax, downloadTimeoutMs, downloadBytesPerSecondMin }: IngestParts,
  { sourceUrl, fileName }: ClaimedRevision,
  signal: AbortSignal,
  use: (file: DownloadedFile) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const own = await mkdtemp(join(directory, "signalbox-import-"));
  try {
    const downloaded = await downloadFile(outbound.imports, {
      url: sourceUrl,
      fileName,
      directory: own,
      sizeBytesMax: fileBytesMax,
      timeoutMs: downloadTimeoutMs,
      bytesPerSecondMin: downloadBytesPerSecondMin,
      signal,
    });
    if (downloaded.kind === "failed") return signal.aborted ? "interrupted" : downloaded;
    return await use(downloaded.file);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function embed(parts: IngestParts, { agentId, id, ended }: Work): Promise<void> {
  const { engine, stopping } = parts;
  const outcome = await embedNextPairs(parts, agentId, id, AbortSignal.any([ended, stopping]));
  if (outcome.kind === "more") await engine.send("ingest", "embed", objectKey(agentId, id), outcome.afterMs);
}
