import { createGroupCommit, type Database, type GroupCommit, type Log } from "../../platform/index.ts";
import { settle, type Settled, type Settlement } from "./settle.ts";

export type AttemptRecorder = GroupCommit<Settlement, Settled>;

/**
 * Deliveries are found by their ids within a span of time, for which PostgreSQL may read all that the agent was owed in it: the
 * span of a batch stays short, however long its lanes have waited.
 */
const TOGETHER_MS = 10_000;

/** Outcomes of many lanes in one commit. A lane is never twice in a batch: a drain waits for one before it records another. */
export function createAttemptRecorder(db: Database, log: Log): AttemptRecorder {
  return createGroupCommit({
    groupOf: ({ agentId, createdAt }) => `${agentId}/${Math.floor(createdAt.getTime() / TOGETHER_MS)}`,
    write: (group, settlements) => settle(db, group.slice(0, group.indexOf("/")), settlements),
    log,
  });
}
