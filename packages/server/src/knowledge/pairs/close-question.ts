import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { audit, refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";

/** Takes an unanswered question off the list; the next time it is asked in vain it is written down again. */
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
    .returning("id")
    .executeTakeFirst();
  if (closed === undefined) return false;
  const change = { action: "unanswered_question.close", agentId, subjectId: questionId, detail: {} };
  await audit(db, caller, change);
  return true;
}

/** Those that a pair answers now. */
export async function closeQuestions(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  {
    question_id,
    question_ids,
  }: { question_id?: string | null | undefined; question_ids?: string[] | null | undefined },
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
    return isClosed ? ACKNOWLEDGED : refuse("notFound", "this question is not listed, or no longer");
  });
}
