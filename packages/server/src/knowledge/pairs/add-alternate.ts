import { sql } from "kysely";
import { Refusal, type Database, type OperatorCaller } from "../../platform/index.ts";
import { lockDocuments, type FoundDocument } from "../documents/document-store.ts";
import { questionKey } from "../intake/incoming-pair.ts";
import { INTAKE_LIMITS } from "../intake/limits.ts";
import { exactly, lexemePrefix } from "../retrieval/lexemes.ts";
import type { PairPlace } from "./pair-id.ts";
import { lockPair, writePair } from "./write-pair.ts";

/** `no_pair`: the document is gone, or no longer has the question. `full`: it has as many alternates as it may have. */
export type AddedAlternate = "added" | "no_pair" | "full";

/** One more way to ask a stored question, as a version of its pair. One that is there already stays as it is. */
export async function addAlternate(
  db: Database,
  caller: OperatorCaller,
  { agentId, documentId, question }: { agentId: string; documentId: string; question: string },
  alternate: string,
): Promise<AddedAlternate | Refusal> {
  const document = (await lockDocuments(db, agentId, [documentId])).get(documentId);
  const place = document === undefined ? undefined : await findPair(db, document, question);
  if (place === undefined) return "no_pair";
  const pair = await lockPair(db, agentId, place);
  if (pair instanceof Refusal) return pair;
  if (pair.stored === undefined) return "no_pair";
  const { answer, alternates, tags } = pair.stored;
  if ([question, ...alternates].map(questionKey).includes(questionKey(alternate))) return "added";
  if (alternates.length >= INTAKE_LIMITS.alternatesMax) return "full";
  const texts = { question, answer, alternates: [...alternates, alternate], tags };
  await writePair(db, caller, pair, "changed", texts);
  return "added";
}

async function findPair(
  db: Database,
  { id: documentId, knowledgeBaseId, currentRevision: revision }: FoundDocument,
  question: string,
): Promise<PairPlace | undefined> {
  const { rows } = await sql<{ ordinal: number }>`
    select ordinal from qa_pair
    where knowledge_base_id = ${knowledgeBaseId} and document_id = ${documentId} and revision = ${revision}
      and terms @@ ${exactly(lexemePrefix(knowledgeBaseId), question)}::tsquery and question = ${question}
    order by ordinal limit 1`.execute(db);
  return rows[0] === undefined ? undefined : { documentId, revision, ordinal: rows[0].ordinal };
}
