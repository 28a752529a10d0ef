import { createHash } from "node:crypto";
import {
  ACKNOWLEDGED,
  SAVED_QUESTIONS_MAX,
  type Acknowledged,
  type InputOf,
  type SavedQuestion,
  type SavedQuestionPage,
} from "@signalbox/contract";
import {
  pageOfRows,
  pageStart,
  requireLiveAgent,
  writeAsOperator,
  type OperatorParts,
} from "../../agents/index.ts";
import { getPair, questionKey } from "../../knowledge/index.ts";
import {
  audit,
  authorColumns,
  newId,
  Refusal,
  refuse,
  type Database,
  type OperatorCaller,
} from "../../platform/index.ts";
import { readLastRun, type LastRun } from "./run-store.ts";

/** Saving a question again changes what is expected of it. */
export function saveQuestion(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, question, pair_id }: InputOf<"saveQuestion">,
): Promise<SavedQuestion | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const pair = typeof pair_id === "string" ? await getPair({ db }, { agent_id, pair_id }) : undefined;
    if (pair instanceof Refusal) return pair;
    const key = createHash("sha256").update(questionKey(question)).digest();
    const full = await refuseBeyondMax(db, agent_id, key);
    if (full !== undefined) return full;
    const expected = {
      question: question.trim(),
      expected_question: pair?.question ?? null,
      expected_answer: pair?.answer ?? null,
      ...authorColumns(caller),
    };
    const row = await db
      .insertInto("saved_question")
      .values({ agent_id, id: newId(), question_key: key, ...expected })
      .onConflict((conflict) => conflict.columns(["agent_id", "question_key"]).doUpdateSet(expected))
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { expects_answer: pair !== undefined };
    await audit(db, caller, { action: "saved_question.save", agentId: agent_id, subjectId: row.id, detail });
    return describe(row, await readLastRun(db, agent_id));
  });
}

/** The agent's row is locked, so that two do not both find room. */
async function refuseBeyondMax(db: Database, agentId: string, key: Buffer): Promise<Refusal | undefined> {
  const { others } = await db
    .selectFrom("saved_question")
    .select(({ fn }) => fn.countAll<number>().as("others"))
    .where("agent_id", "=", agentId)
    .where("question_key", "<>", key)
    .executeTakeFirstOrThrow();
  return Number(others) < SAVED_QUESTIONS_MAX
    ? undefined
    : refuse("badParameter", `an agent has at most ${SAVED_QUESTIONS_MAX} saved questions; delete one first`);
}

export function deleteSavedQuestion(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id: agentId, saved_question_id: subjectId }: InputOf<"deleteSavedQuestion">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    const deleted = await db
      .deleteFrom("saved_question")
      .where("agent_id", "=", agentId)
      .where("id", "=", subjectId)
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) return refuse("notFound", "there is no such saved question");
    await audit(db, caller, { action: "saved_question.delete", agentId, subjectId, detail: {} });
    return ACKNOWLEDGED;
  });
}

export async function listSavedQuestions(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listSavedQuestions">,
): Promise<SavedQuestionPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await db
    .selectFrom("saved_question")
    .selectAll()
    .where("agent_id", "=", agent_id)
    .where("id", "<", start)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const last = await readLastRun(db, agent_id);
  return pageOfRows(rows, limit, (row) => describe(row, last));
}

interface SavedRow {
  id: string;
  question: string;
  expected_question: string | null;
  expected_answer: string | null;
  actor: string | null;
  actor_id: string | null;
  actor_name: string | null;
  created_at: Date;
}

function describe(row: SavedRow, last: LastRun | undefined): SavedQuestion {
  const { id, question, expected_question, expected_answer, actor, actor_id, actor_name } = row;
  const expected =
    expected_question === null || expected_answer === null
      ? null
      : { question: expected_question, answer: expected_answer };
  const result = last?.results.find(
    // The pair expected then may differ from the one expected now.
    (one) => one.saved_question_id === id && one.expected?.question === expected?.question,
  );
  return {
    saved_question_id: id,
    question,
    expected,
    last_result:
      last === undefined || result === undefined
        ? null
        : {
            passed: result.passed,
            change: result.change,
            decision: result.decision,
            closest: result.closest,
            run_id: last.id,
            time: last.finishedAt.getTime(),
          },
    author: actor === null ? null : { actor, actor_id, actor_name },
    create_time: row.created_at.getTime(),
  };
}
