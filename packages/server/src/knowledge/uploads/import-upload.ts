import type { DocumentRevision, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import type { Engine } from "../../engine/index.ts";
import { audit, newId, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import { findBase, insertDocument, lockDocuments } from "../documents/document-store.ts";
import { refuseTooManyFiles } from "../documents/import-ticket.ts";
import { readRevision, startIngest } from "../documents/list-revisions.ts";
import { acceptRevision } from "../documents/revision-store.ts";
import { readColumns } from "../intake/index.ts";
import { incomplete, noUpload, readUpload } from "./upload-store.ts";

export interface ImportUploadParts extends OperatorParts {
  engine: Engine;
  waitingFilesMax: number;
}

/** From here on it is an import like any other: the worker takes the file from PostgreSQL instead of a URL. */
export async function importUpload(
  { engine, waitingFilesMax, ...parts }: ImportUploadParts,
  caller: OperatorCaller,
  input: InputOf<"importUpload">,
): Promise<DocumentRevision | Refusal> {
  const { agent_id: agentId, upload_id: uploadId } = input;
  const accepted = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    const upload = await readUpload(db, agentId, uploadId, "lock");
    if (upload === undefined) return noUpload();
    const refusal = incomplete(upload) ?? (await refuseTooManyFiles(db, agentId, { waitingFilesMax }, 1));
    if (refusal !== undefined) return refusal;
    const target = await documentFor(db, input, upload.file_name);
    if (target instanceof Refusal) return target;
    const { header_rows, delimiter, columns } = input;
    const { documentId, revision } = await acceptRevision(db, {
      agentId,
      ...target,
      importId: newId(),
      position: 0,
      by: caller,
      reading: "by_type",
      file: { name: upload.file_name, uploadId },
      headerRow: header_rows ?? undefined,
      splitter: delimiter ?? undefined,
      columns: readColumns(columns),
    });
    await db
      .updateTable("upload")
      .set({ imported_at: sql`now()` })
      .where("agent_id", "=", agentId)
      .where("id", "=", uploadId)
      .execute();
    const detail = { by: "upload", name: upload.file_name };
    const action = input.doc_id === undefined || input.doc_id === null ? "document.add" : "document.replace";
    await audit(db, caller, { action, agentId, subjectId: documentId, detail });
    return readRevision(db, agentId, documentId, revision);
  });
  if (!(accepted instanceof Refusal)) await startIngest(parts.db, engine, agentId, accepted);
  return accepted;
}

/** The document to replace, or a new one. */
export async function documentFor(
  db: Database,
  {
    agent_id: agentId,
    doc_id,
    knowledge_base_id,
  }: Pick<InputOf<"importUpload">, "agent_id" | "doc_id" | "knowledge_base_id">,
  name: string,
): Promise<{ documentId: string; knowledgeBaseId: string } | Refusal> {
  if (doc_id === undefined || doc_id === null) {
    const knowledgeBaseId = await findBase(db, agentId, knowledge_base_id ?? undefined);
    if (knowledgeBaseId === undefined)
      return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
    const documentId = await insertDocument(db, { agentId, knowledgeBaseId, name, purpose: "QA_TEXT" });
    return { documentId, knowledgeBaseId };
  }
  const document = (await lockDocuments(db, agentId, [doc_id])).get(doc_id);
  if (document === undefined) return refuse("badParameter", "doc_id is not a document of this agent");
  return { documentId: doc_id, knowledgeBaseId: document.knowledgeBaseId };
}
