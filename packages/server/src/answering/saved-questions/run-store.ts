import { SAVED_QUESTIONS_MAX, type SavedQuestionResult } from "@signalbox/contract";
import { sql } from "kysely";
import { newId, type Database } from "../../platform/index.ts";
import type { QuestionToCheck } from "./check-questions.ts";

/** For each agent. */
const RUNS_KEPT = 20;

export async function readSavedQuestions(db: Database, agentId: string): Promise<QuestionToCheck[]> {
  const rows = await db
    .selectFrom("saved_question")
    .select(["id", "question", "expected_question", "expected_answer"])
    .where("agent_id", "=", agentId)
    .orderBy("id")
    .limit(SAVED_QUESTIONS_MAX)
    .execute();
  return rows.map(({ id, question, expected_question, expected_answer }) => ({
    id,
    question,
    expected:
      expected_question === null || expected_answer === null
        ? undefined
        : { question: expected_question, answer: expected_answer },
  }));
}

export interface LastRun {
  id: string;
  finishedAt: Date;
  results: SavedQuestionResult[];
}

/** The last one that says what users are answered. */
export async function readLastRun(db: Database, agentId: string): Promise<LastRun | undefined> {
  const row = await db
    .selectFrom("saved_question_run")
    .select(["id", "finished_at", "results"])
    .where("agent_id", "=", agentId)
    .where("state", "=", "finished")
    .where("is_held", "=", false)
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.finished_at === null) return undefined;
  // Safe because finishRun is the only writer.
  return { id: row.id, finishedAt: row.finished_at, results: row.results as SavedQuestionResult[] };
}

export function passedIn(results: SavedQuestionResult[]): Map<string, boolean> {
  return new Map(results.map(({ saved_question_id, passed }) => [saved_question_id, passed]));
}

export interface RunOfRevision {
  agentId: string;
  documentId: string;
  revision: number;
}

/**
 * A run for a content that is new to users. Undefined where there is nothing to ask, or it was asked before it was published.
 */
export async function queueRunOf(
  db: Database,
  { agentId, ingestId }: { agentId: string; ingestId: string },
): Promise<string | undefined> {
  const id = newId();
  const { rows } = await sql<{ id: string }>`
    insert into saved_question_run (agent_id, id, trigger, document_id, revision)
    select r.agent_id, ${id}::uuid, r.change, r.document_id, r.revision from document_revision r
    where r.agent_id = ${agentId} and r.id = ${ingestId} and r.state = 'current' and r.change in ('import', 'restore')
      and exists (select from saved_question q where q.agent_id = r.agent_id)
    on conflict (agent_id, document_id, revision) where document_id is not null do nothing
    returning id`.execute(db);
  return rows[0]?.id;
}

export async function finishRun(
  db: Database,
  agentId: string,
  runId: string,
  results: SavedQuestionResult[],
): Promise<void> {
  const count = (is: (result: SavedQuestionResult) => boolean) => results.filter(is).length;
  await db
    .updateTable("saved_question_run")
    .set({
      state: "finished",
      total: results.length,
      passed: count(({ passed }) => passed),
      better: count(({ change }) => change === "better"),
      worse: count(({ change }) => change === "worse"),
      results: JSON.stringify(results),
      finished_at: sql`clock_timestamp()`,
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", runId)
    .execute();
  await sql`
    delete from saved_question_run where agent_id = ${agentId} and state <> 'waiting' and id not in (
      select id from saved_question_run where agent_id = ${agentId} order by id desc limit ${RUNS_KEPT})`.execute(
    db,
  );
}

/** The content of this run is published after all. */
export async function releaseRun(
  db: Database,
  { agentId, documentId, revision }: RunOfRevision,
): Promise<void> {
  await db
    .updateTable("saved_question_run")
    .set({ is_held: false })
    .where("agent_id", "=", agentId)
    .where("document_id", "=", documentId)
    .where("revision", "=", revision)
    .execute();
}
