import type { DocumentRevision, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import type { Engine } from "../../engine/index.ts";
import { audit, newId, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import { readContent } from "./content-change.ts";
import { lockDocuments, type FoundDocument } from "./document-store.ts";
import { readRevision, startIngest } from "./list-revisions.ts";
import { BEFORE_FIRST_IMPORT } from "./restore-content.ts";
import { acceptRevision } from "./revision-store.ts";

export interface RestoreRevisionParts extends OperatorParts {
  engine: Engine;
}

/** Nothing is lost by it: what readers see now is kept like every content that was replaced. */
export async function restoreRevision(
  { engine, ...parts }: RestoreRevisionParts,
  caller: OperatorCaller,
  { agent_id: agentId, doc_id: documentId, revision: restored }: InputOf<"restoreRevision">,
): Promise<DocumentRevision | Refusal> {
  const accepted = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    const document = (await lockDocuments(db, agentId, [documentId])).get(documentId);
    if (document === undefined) return refuse("notFound", "there is no such document");
    const refusal = await refuseRestore(db, agentId, document, restored);
    if (refusal !== undefined) return refusal;
    const { knowledgeBaseId } = document;
    const { revision } = await acceptRevision(db, {
      agentId,
      knowledgeBaseId,
      documentId,
      importId: newId(),
      position: 0,
      by: caller,
      reading: "restore",
      restored,
    });
    const detail = { restored, revision };
    await audit(db, caller, { action: "document.restore", agentId, subjectId: documentId, detail });
    return readRevision(db, agentId, documentId, revision);
  });
  if (!(accepted instanceof Refusal)) await startIngest(parts.db, engine, agentId, accepted);
  return accepted;
}

async function refuseRestore(
  db: Database,
  agentId: string,
  document: FoundDocument,
  restored: number,
): Promise<Refusal | undefined> {
  if (restored === BEFORE_FIRST_IMPORT) {
    const isEmpty = document.currentRevision === 0 || (await readContent(db, agentId, document)).pairs === 0;
    return isEmpty ? refuse("stateConflict", "the document has no pairs") : undefined;
  }
  if (await isKept(db, agentId, document.id, restored)) return undefined;
  const advice = `revision ${restored} cannot be restored; the document's revisions say which can`;
  return refuse("stateConflict", advice);
}

/** One that was replaced a moment ago is kept now instead of by the sweep. */
async function isKept(db: Database, agentId: string, documentId: string, revision: number): Promise<boolean> {
  await sql`select signalbox_archive_revision(${agentId}, ${documentId}, ${revision})`.execute(db);
  const kept = await db
    .selectFrom("archived_content")
    .select("part")
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .limit(1)
    .executeTakeFirst();
  return kept !== undefined;
}
