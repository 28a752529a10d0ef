import { BYTE_ORDER_MARK, csvField, EXPORT_TYPES, literalCell, type InputOf } from "@signalbox/contract";
import { requireAgent } from "../../agents/index.ts";
import {
  audit,
  FileReply,
  JsonStream,
  refuse,
  type Database,
  type OperatorCaller,
  type Refusal,
} from "../../platform/index.ts";
import { baseOf, findBase } from "../documents/document-store.ts";
import type { PairTexts } from "../pairs/pair-versions.ts";
import { documentsToExport, longestAlternates, pairsOf, type DocumentToExport } from "./read-documents.ts";
import { onOneLine, writeWorkbook } from "./write-workbook.ts";

/** What a sheet holds, without its header. */
const WORKBOOK_PAIRS_MAX = 1_048_575;

/** A file that an import reads back as the same pairs, written while it is read: nobody holds all of it. */
export async function exportPairs(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id: agentId, format, knowledge_base_id, doc_id }: InputOf<"exportPairs">,
): Promise<FileReply | Refusal> {
  const missing = await requireAgent(db, agentId);
  if (missing !== undefined) return missing;
  const knowledgeBaseId = knowledge_base_id ?? undefined;
  const documentId = doc_id ?? undefined;
  const unknown = await refuseUnknown(db, agentId, knowledgeBaseId, documentId);
  if (unknown !== undefined) return unknown;
  const documents = await documentsToExport(db, { agentId, knowledgeBaseId, documentId });
  if (format === "xlsx" && (await countPairs(db, agentId, documents)) > WORKBOOK_PAIRS_MAX)
    return refuse("badParameter", "a sheet holds 1,048,575 pairs; export as csv or json, or one document");
  const detail = { format, documents: documents.length };
  await audit(db, caller, { action: "pairs.export", agentId, subjectId: doc_id ?? agentId, detail });
  return new FileReply({
    contentType: format === "xlsx" ? EXPORT_TYPES.xlsx : `${EXPORT_TYPES[format]}; charset=utf-8`,
    fileName: `pairs-${new Date().toISOString().slice(0, 10)}.${format}`,
    chunks: () => chunksOf(db, agentId, documents, format),
  });
}

async function refuseUnknown(
  db: Database,
  agentId: string,
  knowledgeBaseId: string | undefined,
  documentId: string | undefined,
): Promise<Refusal | undefined> {
  if (knowledgeBaseId !== undefined && (await findBase(db, agentId, knowledgeBaseId)) === undefined)
    return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
  if (documentId === undefined || (await baseOf(db, agentId, undefined, documentId)) !== undefined)
    return undefined;
  return refuse("badParameter", "doc_id is not a document of this agent");
}

async function countPairs(db: Database, agentId: string, documents: DocumentToExport[]): Promise<number> {
  if (documents.length === 0) return 0;
  const rows = await db
    .selectFrom("document_revision")
    .select(({ fn }) => fn.sum<number | null>("pairs").as("pairs"))
    .where("agent_id", "=", agentId)
    .where(
      "document_id",
      "in",
      documents.map(({ id }) => id),
    )
    .where("state", "=", "current")
    .execute();
  return Number(rows[0]?.pairs ?? 0);
}

async function* chunksOf(
  db: Database,
  agentId: string,
  documents: DocumentToExport[],
  format: InputOf<"exportPairs">["format"],
): AsyncGenerator<string | Uint8Array> {
  if (format === "json")
    yield* JsonStream.of<Exported>({ documents: asJson(db, agentId, documents) }).chunks();
  else if (format === "csv") yield* asCsv(allPairs(db, agentId, documents));
  else
    yield* writeWorkbook(allPairs(db, agentId, documents), {
      alternatesBytes: await longestAlternates(db, documents),
    });
}

async function* allPairs(
  db: Database,
  agentId: string,
  documents: DocumentToExport[],
): AsyncGenerator<PairTexts> {
  for (const document of documents) yield* pairsOf(db, agentId, document);
}

async function* asCsv(pairs: AsyncIterable<PairTexts>): AsyncGenerator<string> {
  let lines = `${BYTE_ORDER_MARK}question,answer,similar questions,tags\r\n`;
  for await (const { question, answer, alternates, tags } of pairs) {
    const cells = [question, answer, alternates.map(onOneLine).join("\n")].map(literalCell);
    lines += `${[...cells, tags.join(", ")].map(csvField).join(",")}\r\n`;
    if (lines.length < PIECE_CHARACTERS) continue;
    yield lines;
    lines = "";
  }
  yield lines;
}

const PIECE_CHARACTERS = 65_536;

/** As `signalbox documents export --json` writes it, and an import reads it. */
interface Exported {
  documents: {
    doc_id: string;
    doc_name: string;
    knowledge_base_id: string;
    pairs: { question: string; answer: string; keywords: string[]; tags: string[] }[];
  }[];
}

async function* asJson(db: Database, agentId: string, documents: DocumentToExport[]) {
  for (const document of documents)
    yield {
      doc_id: document.id,
      doc_name: document.name,
      knowledge_base_id: document.knowledgeBaseId,
      pairs: withKeywords(pairsOf(db, agentId, document)),
    };
}

async function* withKeywords(pairs: AsyncIterable<PairTexts>) {
  for await (const { question, answer, alternates: keywords, tags } of pairs)
    yield { question, answer, keywords, tags };
}
