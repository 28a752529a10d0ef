import type { DocumentRevision, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { objectKey, type Engine } from "../../engine/index.ts";
import { audit, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import type { RefusedRow } from "../intake/index.ts";
import { lockDocuments } from "./document-store.ts";
import { readRevision } from "./list-revisions.ts";
import type { RevisionKey } from "./pair-store.ts";
import { publishRevision, type RevisionReport } from "./revision-store.ts";

export interface PublishHeldParts extends OperatorParts {
  engine: Engine;
  /** In the same transaction. */
  onPublished: (db: Database, key: RevisionKey) => Promise<void>;
}

/** An editor's yes to an import that was held back: its pairs are there, and only the switch is left. */
export async function publishHeld(
  { engine, onPublished, ...parts }: PublishHeldParts,
  caller: OperatorCaller,
  { agent_id: agentId, doc_id: documentId, revision }: InputOf<"publishRevision">,
): Promise<DocumentRevision | Refusal> {
  const published = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    const document = (await lockDocuments(db, agentId, [documentId])).get(documentId);
    if (document === undefined) return refuse("notFound", "there is no such document");
    const held = await readHeld(db, agentId, documentId, revision);
    if (held === undefined) return refuse("stateConflict", `revision ${revision} is not held back`);
    if (document.latestRevision > revision)
      return refuse("stateConflict", "the document was changed since; import the file again");
    const key = { agentId, knowledgeBaseId: document.knowledgeBaseId, documentId, revision };
    const { report, statistics, refused, ...counts } = held;
    // Safe because storeHeld is the only writer. Why it was held is no problem of the file.
    const { cause: _, detail: __, ...read } = report as RevisionReport;
    const content = { ...counts, statistics: statistics ?? "", report: read };
    await publishRevision(db, key, { ...content, refused: (refused ?? []) as RefusedRow[] });
    await onPublished(db, key);
    const detail = { revision };
    await audit(db, caller, { action: "document.publish", agentId, subjectId: documentId, detail });
    return readRevision(db, agentId, documentId, revision);
  });
  if (published instanceof Refusal) return published;
  const { id, knowledge_base_id } = await rowOf(parts.db, agentId, documentId, revision);
  await sql`select signalbox_settle_terms(${knowledge_base_id})`.execute(parts.db);
  await engine.send("ingest", "embed", objectKey(agentId, id));
  return published;
}

async function readHeld(db: Database, agentId: string, documentId: string, revision: number) {
  return db
    .selectFrom("document_revision")
    .select([
      "rows_read as rowsRead",
      "pairs",
      "rejected",
      "duplicates",
      "blank",
      "conflicts",
      "characters",
      "statistics",
      "report",
      "refused_rows as refused",
    ])
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .where("state", "=", "held")
    .executeTakeFirst();
}

function rowOf(db: Database, agentId: string, documentId: string, revision: number) {
  return db
    .selectFrom("document_revision")
    .select(["id", "knowledge_base_id"])
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .executeTakeFirstOrThrow();
}
