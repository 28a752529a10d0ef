import { createCommitAcrossAgents, type Database, type GroupCommit, type Log } from "../../platform/index.ts";
import { settle, type Settled, type Settlement } from "./settle.ts";

export type AttemptRecorder = GroupCommit<Settlement, Settled>;

/** Outcomes of many lanes, whoever's they are, in one commit. A lane is never twice in a batch: a drain waits for one before it records another. */
export function createAttemptRecorder(db: Database, log: Log): AttemptRecorder {
  return createCommitAcrossAgents({
    agentOf: ({ agentId }) => agentId,
    write: (settlements, lockedRows) => settle(db, settlements, lockedRows),
    log,
  });
}
