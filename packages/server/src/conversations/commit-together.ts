import { createCommitAcrossAgents, type Database, type GroupCommit, type Log } from "../platform/index.ts";
import { commitReplies, type CommitResult, type TurnReplies } from "./commit-replies.ts";
import { findCommitted } from "./find-committed.ts";

/** Turns of all agents that end at the same moment share a statement. */
export type CommitTogether = GroupCommit<TurnReplies, CommitResult>;

export function commitTogether(db: Database, log: Log): CommitTogether {
  return createCommitAcrossAgents({
    agentOf: ({ turn }) => turn.agentId,
    write: async (answered, lockedRows) =>
      unlessCommitted(db, answered, await commitReplies(db, answered, lockedRows)),
    readBack: (answered) => findCommitted(db, answered),
    log,
  });
}

/** A turn that was written before, and whose answer was lost, is superseded by itself. */
async function unlessCommitted<Locked>(
  db: Database,
  answered: TurnReplies[],
  results: (CommitResult | Locked)[],
): Promise<(CommitResult | Locked)[]> {
  const isSuperseded = (result: CommitResult | Locked | undefined) =>
    typeof result === "object" && result !== null && "kind" in result && result.kind === "superseded";
  const superseded = answered.filter((_, index) => isSuperseded(results[index]));
  if (superseded.length === 0) return results;
  const found = await findCommitted(db, superseded);
  return results.map((result, index) => {
    const place = superseded.findIndex((item) => item === answered[index]);
    return found[place] ?? result;
  });
}
