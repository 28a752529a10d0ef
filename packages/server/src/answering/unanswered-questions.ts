import { createHash } from "node:crypto";
import type { InputOf, UnansweredQuestionPage } from "@signalbox/contract";
import { sql } from "kysely";
import { pageOfRows, pageStart } from "../agents/index.ts";
import { questionKey, type FoundPair } from "../knowledge/index.ts";
import { newId, Refusal, type Database } from "../platform/index.ts";

const QUESTION_CHARACTERS_KEPT = 2_000;

/** What an agent could not answer is what its knowledge lacks: each question once, with how often it was asked. */
export async function recordUnanswered(
  db: Database,
  agentId: string,
  question: string,
  best: FoundPair | undefined,
): Promise<void> {
  const key = createHash("sha256").update(questionKey(question)).digest();
  const nearest = {
    best_score: best?.score ?? 0,
    best_document_id: best?.documentId ?? null,
    best_question: best?.question ?? null,
  };
  await db
    .insertInto("unanswered_question")
    .values({
      agent_id: agentId,
      question_key: key,
      id: newId(),
      question: [...question].slice(0, QUESTION_CHARACTERS_KEPT).join(""),
      ...nearest,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["agent_id", "question_key"])
        .doUpdateSet({ asked: sql`unanswered_question.asked + 1`, last_asked_at: sql`now()`, ...nearest }),
    )
    .execute();
}

export async function listUnansweredQuestions(
  { db }: { db: Database },
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
  return pageOfRows(rows, limit, (row) => ({
    question_id: row.id,
    question: row.question,
    asked: row.asked,
    best_score: row.best_score,
    best_question: row.best_question,
    best_doc_id: row.best_document_id,
    first_time: row.first_asked_at.getTime(),
    last_time: row.last_asked_at.getTime(),
  }));
}
