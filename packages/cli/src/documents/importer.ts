import type { DocumentRevision, DocumentStatus, UploadReading } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { given } from "../given-fields.ts";
import type { FileToImport } from "./files-to-import.ts";
import { documentsOf } from "./list-documents.ts";
import { uploadInParts } from "./upload.ts";

/** How files come to the service. */
export interface Importer {
  /** Documents that the knowledge base has already. */
  documents(base: string | undefined): Promise<KnownDocument[]>;
  /** Answers when the file is accepted, or when it is imported. */
  send(file: FileToImport, reading: Reading, onBytes: OnBytes): Promise<DocumentRevision>;
  look(begun: DocumentRevision): Promise<DocumentRevision>;
}

export interface KnownDocument {
  id: string;
  name: string;
  status: DocumentStatus;
}

type Reading = Partial<UploadReading>;
type OnBytes = (sent: number, all: number) => void;

/** The whole file is one call. */
const UPLOAD_MS = 120_000;

/** With an API key: the file goes in one call. */
export function importerByKey(client: Client): Importer {
  return {
    documents: (base) => documentsOf(client, base),
    send: ({ name, contents }, { columns, ...reading }) =>
      client.knowledge.uploadFile(
        { ...given(reading), file: contents, file_name: name, ...columnFields(columns) },
        { timeoutMs: UPLOAD_MS },
      ),
    async look(begun) {
      const { doc_id, import_id } = begun;
      const [detail] = await client.knowledge.getDocuments({ data_ids: [doc_id], import_id });
      if (detail?.last_import) return { ...begun, ...detail.last_import };
      return { ...begun, state: "failed", cause: "document_deleted", detail: "the document was deleted" };
    },
  };
}

function columnFields(columns: UploadReading["columns"]) {
  if (columns === undefined || columns === null) return {};
  const { question, answer, alternates, tags } = columns;
  return {
    question_column: question,
    answer_column: answer,
    ...(alternates.length > 0 && { alternates_columns: alternates.join(",") }),
    ...given({ tags_column: tags ?? undefined }),
  };
}

/** With operator rights: the file goes in parts, which suits a slow line. */
export function importerByOperator(client: Client, agent_id: string): Importer {
  return {
    async documents(knowledge_base_id) {
      const list = client.documents.list({ agent_id, limit: 100, ...given({ knowledge_base_id }) });
      const found = await Array.fromAsync(list);
      return found.map(({ doc_id, doc_name, status }) => ({ id: doc_id, name: doc_name, status }));
    },
    async send(file, reading, onBytes) {
      const { upload_id } = await uploadInParts(client, agent_id, file, onBytes);
      return client.uploads.import({ agent_id, upload_id, ...reading });
    },
    look: (begun) => revisionOf(client, agent_id, begun),
  };
}

/** The present state of a revision. */
export async function revisionOf(
  client: Client,
  agent_id: string,
  begun: DocumentRevision,
): Promise<DocumentRevision> {
  const { list } = await client.documents.listRevisions({ agent_id, doc_id: begun.doc_id, limit: 100 });
  return list.find(({ revision }) => revision === begun.revision) ?? begun;
}

export function isOver({ state }: DocumentRevision): boolean {
  return state !== "waiting" && state !== "working";
}
