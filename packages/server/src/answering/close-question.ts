import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import type { ClosedQuestions } from "../knowledge/index.ts";
import { audit, refuse, type Database, type OperatorCaller, type Refusal } from "../platform/index.ts";
import { closePoorRatings, readPoorRatings } from "./ratings.ts";

/** Takes a question off the list; the next time it is asked in vain, or its answer is rated as bad, it is there again. */
async function closeQuestion(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  questionId: string,
): Promise<boolean> {
  const closed = await db
    .deleteFrom("unanswered_question")
    .where("agent_id", "=", agentId)
    .where("id", "=", questionId)
    .returning("question")
    .executeTakeFirst();
  const question = closed?.question ?? (await readRatedQuestion(db, agentId, questionId));
  if (question === undefined) return false;
  await closePoorRatings(db, agentId, question);
  const change = { action: "unanswered_question.close", agentId, subjectId: questionId, detail: {} };
  await audit(db, caller, change);
  return true;
}

/** One that was never asked in vain goes by the id of a rating. */
async function readRatedQuestion(
  db: Database,
  agentId: string,
  ratingId: string,
): Promise<string | undefined> {
  const rated = await readPoorRatings(db, agentId);
  return rated.find(({ id }) => id === ratingId)?.question;
}

/** Those that a pair answers now. */
export async function closeQuestions(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  { question_id, question_ids }: ClosedQuestions,
): Promise<void> {
  const ids = new Set([...(typeof question_id === "string" ? [question_id] : []), ...(question_ids ?? [])]);
  for (const id of ids) await closeQuestion(db, caller, agentId, id);
}

/** Without an answer to it. */
export function dismissQuestion(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, question_id }: InputOf<"dismissQuestion">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const isClosed = await closeQuestion(db, caller, agent_id, question_id);
    return isClosed
      ? ACKNOWLEDGED
      : refuse("notFound", "this question is not on the list, or was closed already");
  });
}
