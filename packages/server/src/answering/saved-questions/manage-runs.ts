import type {
  InputOf,
  SavedQuestionResult,
  SavedQuestionRun,
  SavedQuestionRunDetail,
  SavedQuestionRunPage,
} from "@signalbox/contract";
import {
  pageOfRows,
  pageStart,
  requireLiveAgent,
  writeAsOperator,
  type OperatorParts,
} from "../../agents/index.ts";
import { objectKey, type Engine } from "../../engine/index.ts";
import { audit, newId, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import { SAVED_QUESTIONS_OBJECT } from "./run-object.ts";

/** One run waits at a time: a second would ask the same. Calls come one after another, because requireLiveAgent locks the agent. */
export async function runSavedQuestions(
  { engine, ...parts }: OperatorParts & { engine: Engine },
  caller: OperatorCaller,
  { agent_id }: InputOf<"runSavedQuestions">,
): Promise<SavedQuestionRun | Refusal> {
  const run = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const waiting = await runsOf(db, agent_id)
      .where("trigger", "=", "manual")
      .where("state", "=", "waiting")
      .executeTakeFirst();
    if (waiting !== undefined) return describe(waiting);
    const id = newId();
    await audit(db, caller, { action: "saved_questions.run", agentId: agent_id, subjectId: id, detail: {} });
    const row = await db
      .insertInto("saved_question_run")
      .values({ agent_id, id, trigger: "manual" })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return describe(row);
  });
  // Committed already: a call that is lost here is made by the reconciler.
  if (!(run instanceof Refusal))
    await engine.send(SAVED_QUESTIONS_OBJECT, "run", objectKey(agent_id, run.run_id));
  return run;
}

export async function listSavedQuestionRuns(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listSavedQuestionRuns">,
): Promise<SavedQuestionRunPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await runsOf(db, agent_id)
    .where("id", "<", start)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, describe);
}

export async function getSavedQuestionRun(
  { db }: { db: Database },
  { agent_id, run_id }: InputOf<"getSavedQuestionRun">,
): Promise<SavedQuestionRunDetail | Refusal> {
  const row = await runsOf(db, agent_id).select("results").where("id", "=", run_id).executeTakeFirst();
  if (row === undefined) return refuse("notFound", "there is no such run, or it is no longer kept");
  // Safe because finishRun is the only writer.
  return { ...describe(row), results: row.results as SavedQuestionResult[] };
}

const COLUMNS = [
  "id",
  "trigger",
  "state",
  "document_id",
  "revision",
  "is_held",
  "total",
  "passed",
  "better",
  "worse",
  "created_at",
  "finished_at",
] as const;

function runsOf(db: Database, agentId: string) {
  return db.selectFrom("saved_question_run").select(COLUMNS).where("agent_id", "=", agentId);
}

type RunRow = Awaited<ReturnType<ReturnType<typeof runsOf>["executeTakeFirstOrThrow"]>>;

function describe(row: RunRow): SavedQuestionRun {
  return {
    run_id: row.id,
    // Safe because the columns' checks name the same words.
    trigger: row.trigger as SavedQuestionRun["trigger"],
    state: row.state as SavedQuestionRun["state"],
    doc_id: row.document_id,
    revision: row.revision,
    held: row.is_held,
    total: row.total,
    passed: row.passed,
    better: row.better,
    worse: row.worse,
    create_time: row.created_at.getTime(),
    finish_time: row.finished_at?.getTime() ?? null,
  };
}
