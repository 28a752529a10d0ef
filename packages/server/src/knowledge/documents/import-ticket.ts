import { HEADERS, type DocumentsResult } from "@signalbox/contract";
import { objectKey, type Engine } from "../../engine/index.ts";
import {
  HeadedReply,
  pause,
  refuseBeyond,
  type AgentDatabase,
  type AgentShare,
  type Database,
  type Refusal,
  type Sealer,
} from "../../platform/index.ts";

export interface ImportParts {
  agents: AgentDatabase;
  /** Lists of pairs are written in turn, so that many of one agent do not fill every core. */
  writes: AgentShare;
  sealer: Sealer;
  engine: Engine;
  /** How long a call waits for its files. */
  answerWithinMs: number;
  /** Files of one agent that may wait at the same time. */
  waitingFilesMax: number;
  stopping: AbortSignal;
}

/** What a call that brings files has committed: the answer is worked out from it, also when the call is repeated. */
export interface ImportTicket {
  importId: string;
  /** Names of files whose document does not exist; where they stood among the files does not matter. */
  unknown: string[];
}

interface ImportRow {
  id: string;
  document_id: string;
  name: string;
  file_name: string | null;
  state: string;
}

const COME_BACK_SECONDS = 30;

/** An agent that brings files faster than they are read would fill the queue for itself and the database for all. */
export async function refuseTooManyFiles(
  db: Database,
  agentId: string,
  { waitingFilesMax: most }: Pick<ImportParts, "waitingFilesMax">,
  added: number,
): Promise<Refusal | undefined> {
  const { waiting } = await db
    .selectFrom("document_revision")
    .select(({ fn }) => fn.countAll<number>().as("waiting"))
    .where("agent_id", "=", agentId)
    .where("state", "in", ["waiting", "working"])
    .executeTakeFirstOrThrow();
  if (waiting + added <= most) return undefined;
  return refuseBeyond(
    { name: "agent_waiting_files", most },
    `${waiting} files of this agent are already waiting for import (limit ${most}); try again when some are done`,
    COME_BACK_SECONDS,
  );
}

const FIRST_LOOK_MS = 40;
const SLOWEST_LOOK_MS = 500;

/**
 * Decisions, 4.1: answers when each file is stored or refused, or when time is up. A file still at work then counts as
 * taken: its state stands behind the status endpoint, which the header leads to.
 */
export async function answerImport(
  parts: ImportParts,
  agentId: string,
  { importId, unknown }: ImportTicket,
): Promise<HeadedReply> {
  const { engine, answerWithinMs, stopping } = parts;
  const deadline = performance.now() + answerWithinMs;
  let rows = await readImport(parts, agentId, importId);
  // Committed already: a call that is lost here is made by the reconciler.
  await Promise.all(
    rows.filter(isUnderWay).map(({ id }) => engine.send("ingest", "run", objectKey(agentId, id))),
  );
  for (let wait = FIRST_LOOK_MS; rows.some(isUnderWay); wait = Math.min(wait * 1.5, SLOWEST_LOOK_MS)) {
    const left = deadline - performance.now();
    if (left <= 0 || stopping.aborted) break;
    await pause(Math.min(wait, left), stopping);
    rows = await readImport(parts, agentId, importId);
  }
  const isFailed = ({ state }: ImportRow) => state === "failed";
  const result: DocumentsResult = {
    doc: rows.filter((row) => !isFailed(row)).map((row) => ({ doc_id: row.document_id, doc_name: row.name })),
    failed: [...rows.filter(isFailed).map(({ file_name }) => file_name ?? ""), ...unknown],
  };
  return new HeadedReply(result, { [HEADERS.import]: importId });
}

function isUnderWay({ state }: ImportRow): boolean {
  return state === "waiting" || state === "working";
}

function readImport({ agents }: ImportParts, agentId: string, importId: string): Promise<ImportRow[]> {
  return agents.asAgent(agentId, (db) =>
    db
      .selectFrom("document_revision as r")
      .innerJoin("document as d", (join) =>
        join.onRef("d.agent_id", "=", "r.agent_id").onRef("d.id", "=", "r.document_id"),
      )
      .select(["r.id", "r.document_id", "d.name", "r.file_name", "r.state"])
      .where("r.agent_id", "=", agentId)
      .where("r.import_id", "=", importId)
      .orderBy("r.position")
      .execute(),
  );
}
