import {
  ACKNOWLEDGED,
  type Acknowledged,
  type InputOf,
  type ProposedAlternatePage,
} from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { auditRead, pageOfRows, pageStart, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { addAlternate } from "../knowledge/index.ts";
import { audit, refuse, Refusal, type Database, type OperatorCaller } from "../platform/index.ts";
import { decideOffers } from "./question-offers.ts";

interface ProposedRow {
  id: string;
  question: string;
  chosen_document_id: string;
  chosen_question: string;
  chosen: number;
  first_at: Date;
  last_at: Date;
}

/** What users typed before they chose an offered question, each once for the question chosen. */
export async function listProposedAlternates(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id, cursor, limit }: InputOf<"listProposedAlternates">,
): Promise<ProposedAlternatePage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  await decideOffers(db, agent_id);
  const { rows } = await sql<ProposedRow>`
    select * from (
      select (array_agg(id order by id desc))[1] as id, (array_agg(question order by id desc))[1] as question,
        chosen_document_id, chosen_question, count(*)::integer as chosen, min(offered_at) as first_at, max(offered_at) as last_at
      from question_offer
      where agent_id = ${agent_id} and chosen_question is not null and approved_at is null
      group by question_key, chosen_document_id, chosen_question
    ) proposed
    where id < ${start} order by id desc limit ${limit + 1}`.execute(db);
  const page = pageOfRows(rows, limit, (row) => ({
    alternate_id: row.id,
    alternate: row.question,
    question: row.chosen_question,
    doc_id: row.chosen_document_id,
    chosen: row.chosen,
    first_time: row.first_at.getTime(),
    last_time: row.last_at.getTime(),
  }));
  const read = { action: "proposed_alternates.read", agentId: agent_id, subjectId: agent_id };
  return auditRead({ db }, caller, read, page);
}

/** From then on the user's words belong to the agent's knowledge. Approving twice is no mistake. */
export function approveProposedAlternate(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, alternate_id }: InputOf<"approveProposedAlternate">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const proposed = await findProposed(db, agent_id, alternate_id);
    if (proposed instanceof Refusal) return proposed;
    if (proposed.approved_at !== null) return ACKNOWLEDGED;
    const { question, chosen_document_id: documentId, chosen_question } = proposed;
    const chosen = { agentId: agent_id, documentId, question: chosen_question };
    const added = await addAlternate(db, caller, chosen, question);
    if (added instanceof Refusal) return added;
    if (added === "no_pair")
      return refuse(
        "stateConflict",
        "the document no longer has the question that users chose; reject this alternate",
      );
    if (added === "full")
      return refuse(
        "stateConflict",
        "the question has as many alternates as it may have; remove one, or reject this alternate",
      );
    await sql`update question_offer set approved_at = now() where ${isLike(agent_id, proposed)}`.execute(db);
    await note(db, caller, "alternate.approve", agent_id, alternate_id, documentId);
    return ACKNOWLEDGED;
  });
}

export function rejectProposedAlternate(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, alternate_id }: InputOf<"rejectProposedAlternate">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const proposed = await findProposed(db, agent_id, alternate_id);
    if (proposed instanceof Refusal) return proposed;
    if (proposed.approved_at !== null)
      return refuse(
        "stateConflict",
        "this alternate was approved; remove it from its question in the document instead",
      );
    await sql`delete from question_offer where ${isLike(agent_id, proposed)}`.execute(db);
    await note(db, caller, "alternate.reject", agent_id, alternate_id, proposed.chosen_document_id);
    return ACKNOWLEDGED;
  });
}

interface FoundProposed extends Pick<ProposedRow, "question" | "chosen_document_id" | "chosen_question"> {
  question_key: Buffer;
  approved_at: Date | null;
}

async function findProposed(db: Database, agentId: string, id: string): Promise<FoundProposed | Refusal> {
  const { rows } = await sql<FoundProposed>`
    select question, question_key, chosen_document_id, chosen_question, approved_at from question_offer
    where agent_id = ${agentId} and id = ${id} and chosen_question is not null for update`.execute(db);
  return rows[0] ?? refuse("notFound", "this agent has no proposed alternate with this alternate_id");
}

/** Selects the offers of all conversations in which the same words were typed and the same question chosen. */
function isLike(
  agentId: string,
  { question_key, chosen_document_id, chosen_question }: FoundProposed,
): RawBuilder<boolean> {
  return sql`agent_id = ${agentId} and question_key = ${question_key} and chosen_document_id = ${chosen_document_id}
    and chosen_question = ${chosen_question} and approved_at is null`;
}

/** Without the words, which may be a user's. */
function note(
  db: Database,
  caller: OperatorCaller,
  action: string,
  agentId: string,
  subjectId: string,
  documentId: string,
): Promise<void> {
  return audit(db, caller, { action, agentId, subjectId, detail: { doc_id: documentId } });
}
