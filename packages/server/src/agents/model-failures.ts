import { MODEL_CAUSES, type FailingModel, type ModelCause, type ModelFailure } from "@signalbox/contract";
import { sql } from "kysely";
import { LruMap, type Database, type EndedCall, type Log, type Metrics } from "../platform/index.ts";

/** Enough to say what is wrong; a server may answer with a page. */
const DETAIL_CHARACTERS_MAX = 300;
const FAILING_MAX = 20;
/** A model that fails at every question is written down this often. */
const WRITTEN_AGAIN_MS = 30_000;
const REMEMBERED_MAX = 10_000;

export interface WatchParts {
  db: Database;
  metrics: Pick<Metrics, "modelFailures">;
  log: Log;
}

/** Keeps with each model why its last call failed, and counts failures. A write that fails costs no answer. */
export function watchModels(
  { db, metrics, log }: WatchParts,
  now: () => number = () => performance.now(),
): (call: EndedCall) => void {
  const written = new LruMap<string, { cause: ModelCause; at: number }>(REMEMBERED_MAX);

  function isDue(key: string, cause: ModelCause): boolean {
    const last = written.get(key);
    if (last?.cause === cause && now() - last.at < WRITTEN_AGAIN_MS) return false;
    written.set(key, { cause, at: now() });
    return true;
  }

  return ({ agentId, kind, wasFailing, failure }) => {
    const key = `${agentId} ${kind}`;
    const report = (error: unknown) => log.warn("model_state_not_stored", { agentId, err: error });
    if (failure === undefined) {
      if (!wasFailing) return;
      written.delete(key);
      void forgetFailure(db, { agentId, kind }).catch(report);
      return;
    }
    const { cause, detail } = failure;
    if (cause === "called_off") return;
    metrics.modelFailures.inc({ model: kind, cause });
    if (isState(cause) && isDue(key, cause))
      void recordFailure(db, { agentId, kind }, { cause, detail }).catch(report);
  };
}

/** One question that a model will not answer is no state of the model, nor are the agent's own limits. */
export function isState(cause: ModelCause): boolean {
  return cause !== "refused" && cause !== "over_quota";
}

interface Named {
  agentId: string;
  kind: EndedCall["kind"];
}

export async function recordFailure(
  db: Database,
  { agentId, kind }: Named,
  { cause, detail }: { cause: ModelCause; detail: string },
): Promise<void> {
  const shown = detail.replaceAll("\u0000", "").slice(0, DETAIL_CHARACTERS_MAX).toWellFormed();
  await db
    .updateTable("agent_model")
    .set({ failed_at: sql`now()`, failure_cause: cause, failure_detail: shown })
    .where("agent_id", "=", agentId)
    .where("kind", "=", kind)
    .execute();
}

export async function forgetFailure(db: Database, { agentId, kind }: Named): Promise<void> {
  await db
    .updateTable("agent_model")
    .set(NOT_FAILED)
    .where("agent_id", "=", agentId)
    .where("kind", "=", kind)
    .where("failed_at", "is not", null)
    .execute();
}

/** A model that was just set has not failed either. */
export const NOT_FAILED = { failed_at: null, failure_cause: null, failure_detail: null };

interface FailureRow {
  failed_at: Date | null;
  failure_cause: string | null;
  failure_detail: string | null;
}

export function describeFailure(row: FailureRow): ModelFailure | null {
  const { failed_at, failure_cause, failure_detail } = row;
  if (failed_at === null || failure_cause === null) return null;
  const cause = failure_cause as ModelCause;
  return { cause, ...MODEL_CAUSES[cause], detail: failure_detail ?? "", time: failed_at.getTime() };
}

/** The models of all agents; the latest failure comes first. */
export async function listFailingModels(db: Database): Promise<FailingModel[]> {
  const rows = await db
    .selectFrom("agent_model")
    .innerJoin("agent", "agent.id", "agent_model.agent_id")
    .select(["agent_id", "agent.name", "kind", "model", "failed_at", "failure_cause", "failure_detail"])
    .where("failed_at", "is not", null)
    .where("agent.deleted_at", "is", null)
    .orderBy("failed_at", "desc")
    .limit(FAILING_MAX)
    .execute();
  return rows.flatMap((row) => {
    const failure = describeFailure(row);
    if (failure === null) return [];
    const { agent_id, name, model } = row;
    return [{ agent_id, agent_name: name, kind: row.kind as FailingModel["kind"], model, failure }];
  });
}
