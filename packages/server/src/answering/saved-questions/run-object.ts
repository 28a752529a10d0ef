import { sql } from "kysely";
import { objectKey, type Engine, type EngineObject, type Sweep, type Work } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import type { KnowledgeParts } from "../agent-knowledge.ts";
import { checkQuestions } from "./check-questions.ts";
import { finishRun, passedIn, queueRunOf, readLastRun, readSavedQuestions } from "./run-store.ts";

/** Hundreds of questions take seconds; a model that embeds them may be slow. */
const LONGEST_MS = 600_000;
/** A run that ends the worker each time is not repeated for ever. */
const ATTEMPTS_MAX = 5;
const BATCH_MAX = 100;

export const SAVED_QUESTIONS_OBJECT = "savedQuestions";

export interface SavedQuestionParts extends KnowledgeParts {
  stopping: AbortSignal;
}

/** Saved questions are asked in the worker, so that an import does not wait for them. */
export function savedQuestionsObject(parts: SavedQuestionParts): EngineObject {
  return {
    name: SAVED_QUESTIONS_OBJECT,
    longestMs: LONGEST_MS,
    handlers: { run: (work) => run(parts, work) },
  };
}

async function run(parts: SavedQuestionParts, { agentId, id, ended }: Work): Promise<void> {
  const { db, stopping } = parts;
  const attempts = await claim(db, agentId, id);
  if (attempts === undefined || attempts > ATTEMPTS_MAX) return;
  const questions = await readSavedQuestions(db, agentId);
  const before = passedIn((await readLastRun(db, agentId))?.results ?? []);
  const signal = AbortSignal.any([ended, stopping]);
  const results = await checkQuestions(parts, agentId, questions, before, signal);
  // The reconciler calls again.
  if (signal.aborted) return;
  await finishRun(db, agentId, id, results);
}

async function claim(db: Database, agentId: string, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    update saved_question_run set attempts = attempts + 1, beat_at = now(),
      state = case when attempts >= ${ATTEMPTS_MAX} then 'failed' else state end,
      finished_at = case when attempts >= ${ATTEMPTS_MAX} then now() end
    where agent_id = ${agentId} and id = ${id} and state = 'waiting' returning attempts`.execute(db);
  return rows[0]?.attempts;
}

/** After a content became current with the vectors it can have. */
export async function askAfterImport(
  { db, engine }: { db: Database; engine: Engine },
  agentId: string,
  ingestId: string,
): Promise<void> {
  const runId = await queueRunOf(db, { agentId, ingestId });
  if (runId !== undefined) await engine.send(SAVED_QUESTIONS_OBJECT, "run", objectKey(agentId, runId));
}

export function savedQuestionSweep({
  db,
  engine,
  graceMs,
}: {
  db: Database;
  engine: Engine;
  graceMs: number;
}): Sweep {
  return {
    name: "saved_question_runs_unfinished",
    run: async () => {
      const { rows } = await sql<{ agent_id: string; id: string }>`
        update saved_question_run r set beat_at = now()
        from (
          select agent_id, id from saved_question_run
          where state = 'waiting' and beat_at < now() - ${graceMs} * interval '1 millisecond'
          order by beat_at limit ${BATCH_MAX} for update skip locked
        ) silent
        where r.agent_id = silent.agent_id and r.id = silent.id
        returning r.agent_id, r.id`.execute(db);
      await Promise.all(
        rows.map(({ agent_id, id }) => engine.send(SAVED_QUESTIONS_OBJECT, "run", objectKey(agent_id, id))),
      );
      return rows.length;
    },
  };
}
