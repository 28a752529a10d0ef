import { createGroupCommit, type Database, type GroupCommit, type Log } from "../platform/index.ts";
import {
  beginTurns,
  commitReplies,
  type BeginResult,
  type CommitResult,
  type TurnCall,
  type TurnClaim,
  type TurnReplies,
} from "./turn-store.ts";

/** Turns that begin at the same moment, whatever their conversation, share a statement. */
export type BeginTogether = GroupCommit<TurnCall & { agentId: string }, BeginResult>;

/** And so do those that end. */
export type CommitTogether = GroupCommit<TurnReplies, CommitResult>;

export function beginTogether(db: Database, claim: TurnClaim, log: Log): BeginTogether {
  return createGroupCommit({
    groupOf: ({ agentId }) => agentId,
    write: (agentId, asked) => beginTurns(db, agentId, asked, claim),
    log,
  });
}

export function commitTogether(db: Database, log: Log): CommitTogether {
  return createGroupCommit({
    groupOf: ({ turn }) => turn.agentId,
    write: (agentId, answered) => commitReplies(db, agentId, answered),
    log,
  });
}
