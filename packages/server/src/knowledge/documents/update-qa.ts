import type { DocumentsResult, UpdateQaRequest } from "@signalbox/contract";
import {
  audit,
  newId,
  once,
  Refusal,
  refuse,
  type AgentCaller,
  type Database,
  type HeadedReply,
} from "../../platform/index.ts";
import { readColumns } from "../intake/index.ts";
import { lockDocuments, type FoundDocument } from "./document-store.ts";
import { answerImport, refuseTooManyFiles, type ImportParts, type ImportTicket } from "./import-ticket.ts";
import { publishText } from "./publish-text.ts";
import { acceptRevision, type Reading } from "./revision-store.ts";
import { writeList } from "./write-list.ts";

type TextUpdate = Extract<UpdateQaRequest, { with: "qaList" }>;
type FilesUpdate = Extract<UpdateQaRequest, { with: "files" }>;

export async function updateQa(
  parts: ImportParts,
  caller: AgentCaller,
  request: UpdateQaRequest,
): Promise<DocumentsResult | HeadedReply | Refusal> {
  if (request.with === "qaList") return replaceText(parts, caller, request);
  const ticket = await acceptFiles(parts, caller, request);
  return ticket instanceof Refusal ? ticket : answerImport(parts, caller.agentId, ticket);
}

/** 4.2: the list given is the whole list. */
function replaceText(
  parts: ImportParts,
  caller: AgentCaller,
  { doc_id, knowledge_base_id, qaList }: TextUpdate,
): Promise<DocumentsResult | Refusal> {
  const { agentId } = caller;
  return writeList(parts, caller, async (db) => {
    const document = (await lockDocuments(db, agentId, [doc_id])).get(doc_id);
    if (document === undefined) return refuse("badParameter", "doc_id is not a document of this agent");
    if (!isInBase(document, knowledge_base_id)) return otherBase();
    const { knowledgeBaseId, name } = document;
    await publishText(db, { agentId, knowledgeBaseId, documentId: doc_id }, qaList, caller);
    const detail = { pairs: qaList.length };
    await audit(db, caller, { action: "document.replace", agentId, subjectId: doc_id, detail });
    return { doc: [{ doc_id, doc_name: name }], failed: [] };
  });
}

/** 4.2: each file is for the document it names; one that names none fails alone. */
function acceptFiles(
  parts: ImportParts,
  caller: AgentCaller,
  request: FilesUpdate,
): Promise<ImportTicket | Refusal> {
  const { agentId } = caller;
  return parts.agents.asAgent(agentId, (db) =>
    once(db, parts.sealer, caller, async (db) => {
      const refusal = await refuseTooManyFiles(db, agentId, parts, request.files.length);
      if (refusal !== undefined) return refusal;
      const documents = await lockDocuments(
        db,
        agentId,
        request.files.map(({ doc_id }) => doc_id),
      );
      if ([...documents.values()].some((document) => !isInBase(document, request.knowledge_base_id)))
        return otherBase();
      for (const subjectId of documents.keys())
        await audit(db, caller, { action: "document.replace", agentId, subjectId, detail: { by: "file" } });
      return acceptEach(db, caller, documents, request);
    }),
  );
}

/** Decisions, 4.2: a file is read as its document was made; one given as text leaves it to the type of the file. */
const READINGS: Record<FoundDocument["purpose"], Reading> = {
  QA_TEXT: "by_type",
  QA_FILE: "pairs",
  FILE_2_QA: "convert",
};

async function acceptEach(
  db: Database,
  caller: AgentCaller,
  documents: Map<string, FoundDocument>,
  { files, header_row, columns, chunk_token, splitter }: FilesUpdate,
): Promise<ImportTicket> {
  const importId = newId();
  const unknown: string[] = [];
  for (const [position, { doc_id, url, file_name }] of files.entries()) {
    const document = documents.get(doc_id);
    if (document === undefined) {
      unknown.push(file_name);
      continue;
    }
    await acceptRevision(db, {
      agentId: caller.agentId,
      by: caller,
      knowledgeBaseId: document.knowledgeBaseId,
      documentId: doc_id,
      importId,
      position,
      reading: READINGS[document.purpose],
      file: { name: file_name, url },
      headerRow: header_row ?? undefined,
      columns: readColumns(columns),
      chunkToken: chunk_token,
      splitter: splitter ?? undefined,
    });
  }
  return { importId, unknown };
}

function isInBase({ knowledgeBaseId }: FoundDocument, asked: string | null | undefined): boolean {
  return asked === undefined || asked === null || asked === knowledgeBaseId;
}

function otherBase(): Refusal {
  return refuse("badParameter", "knowledge_base_id differs from the document's own; leave it out");
}
