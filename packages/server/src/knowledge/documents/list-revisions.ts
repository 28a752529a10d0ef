import type { DocumentRevision, DocumentRevisionPage, InputOf, RefusedRows } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { objectKey, type Engine } from "../../engine/index.ts";
import { refuse, type Database, type Refusal } from "../../platform/index.ts";
import type { RefusedRow } from "../intake/index.ts";
import { latestRevisionOf } from "./document-store.ts";
import { describeOutcome, type RevisionOutcomeRow } from "./revision-outcome.ts";

interface RevisionRow extends RevisionOutcomeRow {
  document_id: string;
  revision: number;
  change: DocumentRevision["change"];
  actor: string | null;
  actor_id: string | null;
  actor_name: string | null;
  can_restore: boolean;
}

const REVISION = /^\d{1,9}$/;
const LAST = "999999999";

/** Newest first. */
export async function listRevisions(
  { db }: { db: Database },
  { agent_id, doc_id, limit, cursor }: InputOf<"listRevisions">,
): Promise<DocumentRevisionPage | Refusal> {
  const before = cursor ?? LAST;
  if (!REVISION.test(before))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const rows = await readRevisions(db, agent_id, doc_id, sql`r.revision < ${Number(before)}`, limit + 1);
  if (rows.length === 0 && cursor === undefined) return noDocument();
  const page = rows.slice(0, limit);
  return {
    list: page.map(describe),
    next_cursor: rows.length > limit ? String(page.at(-1)?.revision) : null,
  };
}

/** As a caller is told of it who has just made it. */
export async function readRevision(
  db: Database,
  agentId: string,
  documentId: string,
  revision: number,
): Promise<DocumentRevision> {
  const [row] = await readRevisions(db, agentId, documentId, sql`r.revision = ${revision}`, 1);
  if (row === undefined) throw new Error("a revision is gone that was just written");
  return describe(row);
}

/** Committed already: a call that is lost here is made by the reconciler. */
export async function startIngest(
  db: Database,
  engine: Engine,
  agentId: string,
  { doc_id, revision }: DocumentRevision,
): Promise<void> {
  const { id } = await db
    .selectFrom("document_revision")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", doc_id)
    .where("revision", "=", revision)
    .executeTakeFirstOrThrow();
  await engine.send("ingest", "run", objectKey(agentId, id));
}

async function readRevisions(
  db: Database,
  agentId: string,
  documentId: string,
  chosen: RawBuilder<unknown>,
  most: number,
): Promise<RevisionRow[]> {
  const { rows } = await sql<RevisionRow>`
    select r.document_id, r.revision, r.change, r.actor, r.actor_id, r.actor_name, r.import_id, ${stateOf()} as state, r.file_name,
      r.rows_read, r.pairs, r.rejected, r.duplicates, r.blank, r.conflicts, r.chunks_total, r.chunks_done, r.report,
      r.created_at, r.finished_at, ${canRestore()} as can_restore
    from document d join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id
    where d.agent_id = ${agentId} and d.id = ${documentId} and d.deleted_at is null and ${chosen}
    order by r.revision desc limit ${most}`.execute(db);
  return rows;
}

/** Callers know one current revision, the last that readers see; inside, the first of its content is called so. */
export function stateOf(): RawBuilder<unknown> {
  return sql`case when r.revision = ${latestRevisionOf("d")} then 'current'
    when r.state in ('current', 'appended') then 'superseded' else r.state end`;
}

/** A content that was replaced and is kept, or waits to be. One without pairs leaves nothing to keep. */
function canRestore(): RawBuilder<unknown> {
  return sql`r.state = 'superseded' and r.revision <> d.current_revision and r.change in ('import', 'restore') and r.pairs > 0 and (r.swept_at is null
    or exists (select from archived_content a where a.agent_id = r.agent_id and a.document_id = r.document_id
      and a.revision = r.revision and a.part = 0))`;
}

function describe(row: RevisionRow): DocumentRevision {
  const { actor, actor_id, actor_name } = row;
  return {
    doc_id: row.document_id,
    revision: row.revision,
    change: row.change,
    can_restore: row.can_restore,
    author: actor === null ? null : { actor, actor_id, actor_name },
    ...describeOutcome(row),
  };
}

/** The rows an import left out, whole, so that they can be corrected and imported again. */
export async function listRefusedRows(
  { db }: { db: Database },
  { agent_id, doc_id, revision }: InputOf<"listRefusedRows">,
): Promise<RefusedRows | Refusal> {
  const row = await db
    .selectFrom("document_revision")
    .select(["rejected", "refused_rows"])
    .where("agent_id", "=", agent_id)
    .where("document_id", "=", doc_id)
    .where("revision", "=", revision)
    .executeTakeFirst();
  if (row === undefined) return noDocument();
  // Safe because publishRevision and failRevision are the only writers.
  const refused = (row.refused_rows ?? []) as RefusedRow[];
  return {
    list: refused.map(({ fields, ...problem }) => ({ ...problem, cells: fields })),
    total: Math.max(row.rejected, refused.length),
  };
}

function noDocument(): Refusal {
  return refuse("notFound", "there is no such document or revision");
}
