import { createHash } from "node:crypto";
import type { InputOf, UnansweredQuestionPage } from "@signalbox/contract";
import { sql } from "kysely";
import { auditRead, pageOfRows, pageStart } from "../agents/index.ts";
import { questionKey, type FoundPair } from "../knowledge/index.ts";
import { describeUnanswered } from "./proposed-pairs.ts";
import { newId, Refusal, type Database, type OperatorCaller } from "../platform/index.ts";

const QUESTION_CHARACTERS_KEPT = 2_000;

/** Where a question was asked: what is kept of it goes with the conversation. */
export interface Asking {
  agentId: string;
  conversationId: string;
}

/**
 * What an agent could not answer is what its knowledge lacks: each question once, with how often it was asked, and where. The
 * conversation is held: one that is erased at this moment leaves nothing here.
 */
export async function recordUnanswered(
  db: Database,
  { agentId, conversationId }: Asking,
  question: string,
  best: FoundPair | undefined,
): Promise<void> {
  const key = createHash("sha256").update(questionKey(question)).digest();
  const kept = [...question].slice(0, QUESTION_CHARACTERS_KEPT).join("");
  await sql`
    with asker as (
      select id from conversation where agent_id = ${agentId} and id = ${conversationId} for key share
    ),
    recorded as (
      insert into unanswered_question as q
        (agent_id, question_key, id, question, best_score, best_document_id, best_question)
      select ${agentId}::uuid, ${key}::bytea, ${newId()}::uuid, ${kept}, ${best?.score ?? 0}::float,
        ${best?.documentId ?? null}::uuid, ${best?.question ?? null} from asker
      on conflict (agent_id, question_key) do update set asked = q.asked + 1, last_asked_at = now(),
        best_score = excluded.best_score, best_document_id = excluded.best_document_id, best_question = excluded.best_question
    )
    insert into unanswered_question_asker as a (agent_id, conversation_id, question_key)
    select ${agentId}::uuid, id, ${key}::bytea from asker
    on conflict (agent_id, conversation_id, question_key) do update set asked = a.asked + 1`.execute(db);
}

export async function listUnansweredQuestions(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id, cursor, limit }: InputOf<"listUnansweredQuestions">,
): Promise<UnansweredQuestionPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await db
    .selectFrom("unanswered_question")
    .selectAll()
    .where("agent_id", "=", agent_id)
    .where("id", "<", start)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const page = pageOfRows(rows, limit, describeUnanswered);
  const read = { action: "unanswered_questions.read", agentId: agent_id, subjectId: agent_id };
  return auditRead({ db }, caller, read, page);
}
