import { createHash } from "node:crypto";
import type { InputOf, ProposedAnswer, UnansweredQuestion } from "@signalbox/contract";
import { sql } from "kysely";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { questionKey } from "../knowledge/index.ts";
import { audit, newId, refuse, type Database, type OperatorCaller, type Refusal } from "../platform/index.ts";

/** Proposals that wait, of one agent: a program that proposes without end does not bury the editor. */
const WAITING_MAX = 1_000;

/** The latest proposal for a question counts. The agent knows nothing of it until an editor adds the pair. */
export function proposePair(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id: agentId, question, answer }: InputOf<"proposePair">,
): Promise<UnansweredQuestion | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    if ((await countWaiting(db, agentId)) >= WAITING_MAX)
      return refuse(
        "stateConflict",
        `${WAITING_MAX} proposals of this agent wait already; add or dismiss some under Unanswered questions first`,
      );
    const key = createHash("sha256").update(questionKey(question)).digest();
    const { rows } = await sql<Row>`
      insert into unanswered_question as q
        (agent_id, question_key, id, question, best_score, asked, proposed_answer, proposed_by, proposed_at)
      values (${agentId}::uuid, ${key}::bytea, ${newId()}::uuid, ${question}, 0, 0, ${answer}, ${caller.actorName}, now())
      on conflict (agent_id, question_key) do update set proposed_answer = excluded.proposed_answer,
        proposed_by = excluded.proposed_by, proposed_at = excluded.proposed_at
      returning *`.execute(db);
    const [row] = rows;
    if (row === undefined) throw new Error("an upsert returned no row");
    await audit(db, caller, { action: "pair.propose", agentId, subjectId: row.id, detail: {} });
    return describeUnanswered(row);
  });
}

async function countWaiting(db: Database, agentId: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from unanswered_question
    where agent_id = ${agentId} and proposed_at is not null`.execute(db);
  return rows[0]?.waiting ?? 0;
}

/** All three, or none. */
export interface Proposal {
  proposed_answer: string | null;
  proposed_by: string | null;
  proposed_at: Date | null;
}

interface Row extends Proposal {
  id: string;
  question: string;
  asked: number;
  best_score: number;
  best_question: string | null;
  best_document_id: string | null;
  first_asked_at: Date;
  last_asked_at: Date;
}

export function describeUnanswered(row: Row): UnansweredQuestion {
  return {
    question_id: row.id,
    question: row.question,
    asked: row.asked,
    best_score: row.best_score,
    best_question: row.best_question,
    best_doc_id: row.best_document_id,
    first_time: row.first_asked_at.getTime(),
    last_time: row.last_asked_at.getTime(),
    proposal: proposalOf(row),
  };
}

export function proposalOf({
  proposed_answer: answer,
  proposed_by,
  proposed_at,
}: Proposal): ProposedAnswer | null {
  if (answer === null || proposed_by === null || proposed_at === null) return null;
  return { answer, proposed_by, time: proposed_at.getTime() };
}
