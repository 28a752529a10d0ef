import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { audit, refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";

/** Takes an unanswered question off the list; the next time it is asked in vain it is written down again. */
export async function closeQuestion(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  questionId: string | undefined,
): Promise<boolean> {
  if (questionId === undefined) return false;
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
