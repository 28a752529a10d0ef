import type { AddQaRequest, DocumentsResult } from "@signalbox/contract";
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
import { findBase, insertDocument } from "./document-store.ts";
import { answerImport, refuseTooManyFiles, type ImportParts, type ImportTicket } from "./import-ticket.ts";
import { acceptRevision } from "./revision-store.ts";
import { publishText } from "./publish-text.ts";
import { writeList } from "./write-list.ts";

type TextToAdd = Extract<AddQaRequest, { purpose: "QA_TEXT" }>;
type FilesToAdd = Exclude<AddQaRequest, TextToAdd>;

export async function addQa(
  parts: ImportParts,
  caller: AgentCaller,
  request: AddQaRequest,
): Promise<DocumentsResult | HeadedReply | Refusal> {
  if (request.purpose === "QA_TEXT") return addText(parts, caller, request);
  const ticket = await acceptFiles(parts, caller, request);
  return ticket instanceof Refusal ? ticket : answerImport(parts, caller.agentId, ticket);
}

/** 4.1: a QA_TEXT document is its name and its list, stored whole or not at all. */
function addText(
  parts: ImportParts,
  caller: AgentCaller,
  { knowledge_base_id, name, qaList, purpose }: TextToAdd,
): Promise<DocumentsResult | Refusal> {
  const { agentId } = caller;
  return writeList(parts, caller, async (db) => {
    const knowledgeBaseId = await findBase(db, agentId, knowledge_base_id ?? undefined);
    if (knowledgeBaseId === undefined) return noBase();
    const documentId = await insertDocument(db, { agentId, knowledgeBaseId, name, purpose });
    await publishText(db, { agentId, knowledgeBaseId, documentId }, qaList, caller);
    const detail = { purpose, name, pairs: qaList.length };
    await audit(db, caller, { action: "document.add", agentId, subjectId: documentId, detail });
    return { doc: [{ doc_id: documentId, doc_name: name }], failed: [] };
  });
}

/** 4.1: each file is a document of its own, and fails or succeeds alone. */
function acceptFiles(
  parts: ImportParts,
  caller: AgentCaller,
  request: FilesToAdd,
): Promise<ImportTicket | Refusal> {
  const { agentId } = caller;
  return parts.agents.asAgent(agentId, (db) =>
    once(db, parts.sealer, caller, async (db) => {
      const refusal = await refuseTooManyFiles(db, agentId, parts, request.files.length);
      if (refusal !== undefined) return refusal;
      const knowledgeBaseId = await findBase(db, agentId, request.knowledge_base_id ?? undefined);
      if (knowledgeBaseId === undefined) return noBase();
      const { purpose, files } = request;
      const detail = { purpose, names: files.map(({ file_name }) => file_name) };
      await audit(db, caller, { action: "document.add", agentId, subjectId: knowledgeBaseId, detail });
      return acceptEach(db, caller, knowledgeBaseId, request);
    }),
  );
}

async function acceptEach(
  db: Database,
  caller: AgentCaller,
  knowledgeBaseId: string,
  request: FilesToAdd,
): Promise<ImportTicket> {
  const { agentId } = caller;
  const importId = newId();
  const { purpose, files, header_row, columns, chunk_token, splitter } = request;
  for (const [position, file] of files.entries()) {
    const documentId = await insertDocument(db, { agentId, knowledgeBaseId, name: file.file_name, purpose });
    await acceptRevision(db, {
      agentId,
      knowledgeBaseId,
      documentId,
      importId,
      position,
      by: caller,
      reading: purpose === "QA_FILE" ? "pairs" : "convert",
      file: { name: file.file_name, url: file.url },
      headerRow: header_row ?? undefined,
      columns: readColumns(columns),
      chunkToken: chunk_token,
      splitter: splitter ?? undefined,
    });
  }
  return { importId, unknown: [] };
}

function noBase(): Refusal {
  return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
}
