import { ACKNOWLEDGED, type Acknowledged, type InputOf, type Pair } from "@signalbox/contract";
import { sql } from "kysely";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { addPairIn } from "../../knowledge/index.ts";
import { closeQuestions } from "../close-question.ts";
import { audit, refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";

/** An editor's yes, with the texts as the editor wants them: only these are published. */
export function acceptHumanAnswer(
  { pairsMax, ...parts }: OperatorParts & { pairsMax: number },
  caller: OperatorCaller,
  { answer_id, ...pair }: InputOf<"acceptHumanAnswer">,
): Promise<Pair | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, pair.agent_id);
    if (missing !== undefined) return missing;
    const refused = await decide(db, caller, pair.agent_id, answer_id, "accepted");
    if (refused !== undefined) return refused;
    const added = { ...pair, question_id: undefined, question_ids: undefined };
    return addPairIn(db, caller, added, { pairsMax, closeQuestions });
  });
}

/** It is not offered again. */
export function dismissHumanAnswer(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, answer_id }: InputOf<"dismissHumanAnswer">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    return (await decide(db, caller, agent_id, answer_id, "dismissed")) ?? ACKNOWLEDGED;
  });
}

/** The conversation is held: one that is erased at this moment leaves nothing here. */
async function decide(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  messageId: string,
  decision: "accepted" | "dismissed",
): Promise<Refusal | undefined> {
  const { rows: known } = await sql<{ conversation_id: string }>`
    select m.conversation_id from message m join conversation c on c.agent_id = m.agent_id and c.id = m.conversation_id
    where m.id = ${messageId} and m.agent_id = ${agentId} and m.sender = 'human' for key share of c`.execute(
    db,
  );
  const [message] = known;
  if (message === undefined)
    return refuse("notFound", "there is no such answer; its conversation may have been erased");
  const { rows } = await sql`
    insert into human_answer_decision (agent_id, message_id, conversation_id, decision)
    values (${agentId}, ${messageId}, ${message.conversation_id}, ${decision})
    on conflict do nothing returning message_id`.execute(db);
  if (rows.length === 0) return refuse("stateConflict", "this answer was accepted or dismissed already");
  const action = decision === "accepted" ? "human_answer.accept" : "human_answer.dismiss";
  await audit(db, caller, { action, agentId, subjectId: messageId, detail: {} });
  return undefined;
}
