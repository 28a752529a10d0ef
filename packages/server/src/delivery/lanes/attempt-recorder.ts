import { createCommitAcrossAgents, type Database, type GroupCommit, type Log } from "../../platform/index.ts";
import { findSettled } from "./find-settled.ts";
import { settle, type Settled, type Settlement } from "./settle.ts";

export type AttemptRecorder = GroupCommit<Settlement, Settled>;

/** Outcomes of many agents' lanes in one commit. A lane is in a batch once: a drain waits for one outcome before the next. */
export function createAttemptRecorder(db: Database, log: Log): AttemptRecorder {
  return createCommitAcrossAgents({
    agentOf: ({ agentId }) => agentId,
    write: (settlements, lockedRows) => settle(db, settlements, lockedRows),
    readBack: (settlements) => findSettled(db, settlements),
    log,
  });
}
