import { createGroupCommit, type Database, type GroupCommit, type Log } from "../platform/index.ts";
import { settle, type Settled, type Settlement } from "./settle.ts";

export type AttemptRecorder = GroupCommit<Settlement, Settled>;

/** Outcomes of many lanes in one commit. A lane is never twice in a batch: a drain waits for one before it records another. */
export function createAttemptRecorder(db: Database, log: Log): AttemptRecorder {
  return createGroupCommit({
    groupOf: ({ agentId }) => agentId,
    write: (agentId, settlements) => settle(db, agentId, settlements),
    log,
  });
}
