import type { InputOf, PairAuthor, PairHistory, PairVersion } from "@signalbox/contract";
import { sql } from "kysely";
import { refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";
import { noPair, readPairId, type PairPlace } from "./pair-id.ts";

export interface PairTexts {
  question: string;
  answer: string;
  alternates: string[];
  tags: string[];
}

export interface VersionToKeep extends PairTexts {
  knowledgeBaseId: string;
  version: number;
  change: PairVersion["change"];
}

/** Who changed a pair and when, as a row has it. */
export interface VersionRow {
  version: number;
  change: PairVersion["change"];
  actor: string | null;
  actor_id: string | null;
  actor_name: string | null;
  created_at: Date;
}

export function authorOf({ actor, actor_id, actor_name }: VersionRow): PairAuthor | null {
  return actor === null ? null : { actor, actor_id, actor_name };
}

/** The one version without an author, the imported one, takes the time of its import. */
export async function keepVersion(
  db: Database,
  agentId: string,
  { documentId, revision, ordinal }: PairPlace,
  { knowledgeBaseId, version, change, question, answer, alternates, tags }: VersionToKeep,
  by: OperatorCaller | { importedAt: Date },
): Promise<void> {
  const author =
    "importedAt" in by
      ? { created_at: by.importedAt }
      : { actor: by.actor, actor_id: by.actorId, actor_name: by.actorName };
  await db
    .insertInto("qa_pair_version")
    .values({
      agent_id: agentId,
      knowledge_base_id: knowledgeBaseId,
      document_id: documentId,
      revision,
      ordinal,
      version,
      change,
      question,
      answer,
      alternates,
      tags,
      ...author,
    })
    .execute();
}

export async function readVersion(
  db: Database,
  agentId: string,
  { documentId, revision, ordinal }: PairPlace,
  version?: number,
): Promise<(VersionRow & PairTexts) | undefined> {
  const row = await db
    .selectFrom("qa_pair_version")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .where("ordinal", "=", ordinal)
    .$if(version !== undefined, (query) => query.where("version", "=", version ?? 0))
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
  // Safe because the column's check names the same words.
  return row as (VersionRow & PairTexts) | undefined;
}

const VERSION = /^\d{1,9}$/;
const LAST = "999999999";

/** Newest first. A pair that was never edited has one version: as it was imported. */
export async function listPairHistory(
  { db }: { db: Database },
  { agent_id, pair_id, limit, cursor }: InputOf<"listPairHistory">,
): Promise<PairHistory | Refusal> {
  const place = readPairId(pair_id);
  const before = cursor ?? LAST;
  if (!VERSION.test(before))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const { documentId, revision, ordinal } = place;
  const { rows } = await sql<VersionRow & PairTexts>`
    select v.version, v.change, v.question, v.answer, v.alternates, v.tags, v.actor, v.actor_id, v.actor_name, v.created_at
    from document d join qa_pair_version v on v.agent_id = d.agent_id and v.document_id = d.id and v.revision = d.current_revision
    where d.agent_id = ${agent_id} and d.id = ${documentId} and d.current_revision = ${revision} and d.deleted_at is null
      and v.ordinal = ${ordinal} and v.version < ${Number(before)}
    order by v.version desc limit ${limit + 1}`.execute(db);
  if (rows.length === 0 && cursor === undefined) return asImported(db, agent_id, place);
  const page = rows.slice(0, limit);
  return {
    list: page.map(describe),
    next_cursor: rows.length > limit ? String(page.at(-1)?.version) : null,
  };
}

function describe(row: VersionRow & PairTexts): PairVersion {
  const { version, change, question, answer, alternates, tags } = row;
  return {
    version,
    change,
    question,
    answer,
    alternates,
    tags,
    author: authorOf(row),
    time: row.created_at.getTime(),
  };
}

async function asImported(
  db: Database,
  agentId: string,
  { documentId, revision, ordinal }: PairPlace,
): Promise<PairHistory | Refusal> {
  const { rows } = await sql<PairTexts & { created_at: Date }>`
    select p.question, p.answer, p.alternates, p.tags, coalesce(r.finished_at, r.created_at) as created_at
    from document d
      join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id and r.revision = d.current_revision
      join qa_pair p on p.knowledge_base_id = d.knowledge_base_id and p.document_id = d.id and p.revision = d.current_revision
    where d.agent_id = ${agentId} and d.id = ${documentId} and d.current_revision = ${revision} and d.deleted_at is null
      and p.ordinal = ${ordinal}`.execute(db);
  const [row] = rows;
  if (row === undefined) return noPair();
  const { created_at, ...texts } = row;
  return {
    list: [{ version: 1, change: "imported", ...texts, author: null, time: created_at.getTime() }],
    next_cursor: null,
  };
}
