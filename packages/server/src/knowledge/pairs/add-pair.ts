import { normalTags, type InputOf, type Pair } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { audit, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import { appendPairs } from "../documents/append-pairs.ts";
import { readContent } from "../documents/content-change.ts";
import { findBase, insertDocument, lockDocuments, type FoundDocument } from "../documents/document-store.ts";
import { publishText } from "../documents/publish-text.ts";
import { readWritten } from "./list-pairs.ts";
import type { PairPlace } from "./pair-id.ts";
import { keepVersion, type PairTexts } from "./pair-versions.ts";
import { lockForEdit } from "./write-pair.ts";

/** Where pairs go that belong to no document. Its name is how it is found again. */
const ADDED_ONE_BY_ONE = "Added one by one";

/** Questions that were asked in vain, and that a pair answers now. */
export interface ClosedQuestions {
  question_id?: string | null | undefined;
  question_ids?: string[] | null | undefined;
}

export interface ClosingParts {
  /** Takes them off the list of unanswered questions, in the transaction of the pair. */
  closeQuestions: (
    db: Database,
    caller: OperatorCaller,
    agentId: string,
    closed: ClosedQuestions,
  ) => Promise<void>;
}

export interface AddingParts extends ClosingParts {
  pairsMax: number;
}

export function addPair(
  { pairsMax, closeQuestions, ...parts }: OperatorParts & AddingParts,
  caller: OperatorCaller,
  input: InputOf<"addPair">,
): Promise<Pair | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, input.agent_id);
    return missing ?? addPairIn(db, caller, input, { pairsMax, closeQuestions });
  });
}

/** Within a transaction that has locked the agent. */
export async function addPairIn(
  db: Database,
  caller: OperatorCaller,
  input: InputOf<"addPair">,
  { pairsMax, closeQuestions }: AddingParts,
): Promise<Pair | Refusal> {
  const { agent_id: agentId, question, answer } = input;
  const document = await documentFor(db, input);
  if (document instanceof Refusal) return document;
  const texts = { question, answer, alternates: input.alternates ?? [], tags: normalTags(input.tags ?? []) };
  const place = await append(db, caller, agentId, document, texts, pairsMax);
  if (place instanceof Refusal) return place;
  const { knowledgeBaseId, id: subjectId } = document;
  const version = { ...texts, knowledgeBaseId, version: 1, change: "added" as const };
  await keepVersion(db, agentId, place, version, caller);
  const detail = { ordinal: place.ordinal, version: 1 };
  await audit(db, caller, { action: "pair.add", agentId, subjectId, detail });
  await closeQuestions(db, caller, agentId, input);
  return readWritten(db, agentId, place);
}

/** Locked; the one for pairs without a document is made when the first of them comes. */
async function documentFor(
  db: Database,
  { agent_id: agentId, knowledge_base_id, doc_id }: InputOf<"addPair">,
): Promise<FoundDocument | Refusal> {
  const known = doc_id ?? undefined;
  if (known === undefined) {
    const baseId = await findBase(db, agentId, knowledge_base_id ?? undefined);
    if (baseId === undefined)
      return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
    return (await documentOfOwn(db, agentId, baseId)) ?? refuse("internal");
  }
  const document = await lockForEdit(db, agentId, known);
  if (document instanceof Refusal) return document;
  const isElsewhere =
    typeof knowledge_base_id === "string" && document?.knowledgeBaseId !== knowledge_base_id;
  if (document === undefined || isElsewhere)
    return refuse("badParameter", "doc_id is not a document of this agent and knowledge base");
  return document;
}

/** The agent's row is locked, so that it is made once. */
async function documentOfOwn(
  db: Database,
  agentId: string,
  knowledgeBaseId: string,
): Promise<FoundDocument | undefined> {
  const row = await db
    .selectFrom("document")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("knowledge_base_id", "=", knowledgeBaseId)
    .where("name", "=", ADDED_ONE_BY_ONE)
    .where("purpose", "=", "QA_TEXT")
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const documentId =
    row?.id ??
    (await insertDocument(db, { agentId, knowledgeBaseId, name: ADDED_ONE_BY_ONE, purpose: "QA_TEXT" }));
  return (await lockDocuments(db, agentId, [documentId])).get(documentId);
}

async function append(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  document: FoundDocument,
  { question, answer, alternates, tags }: PairTexts,
  pairsMax: number,
): Promise<PairPlace | Refusal> {
  const { id: documentId, knowledgeBaseId, currentRevision } = document;
  if (currentRevision === 0) {
    const pair = { question, answer, keywords: alternates, tags };
    const { revision } = await publishText(db, { agentId, knowledgeBaseId, documentId }, [pair], caller);
    return { documentId, revision, ordinal: 1 };
  }
  const before = await readContent(db, agentId, document);
  if (before.pairs + 1 > pairsMax)
    return refuse("badParameter", `a document holds at most ${pairsMax} pairs`);
  const stored = { question, answer, alternates, tags, origin: "row" as const };
  const ordinal = await appendPairs(db, agentId, document, before, [stored], {
    change: "edit",
    by: caller,
  });
  return { documentId, revision: currentRevision, ordinal };
}
