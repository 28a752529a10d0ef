import { createGroupCommit, type Database, type GroupCommit, type Log } from "../platform/index.ts";
import {
  beginTurns,
  commitReplies,
  type BeginResult,
  type CommitResult,
  type TurnClaim,
  type TurnReplies,
} from "./turn-store.ts";

/** Turns that begin at the same moment, whatever their conversation, share a statement. */
export type BeginTogether = GroupCommit<{ agentId: string; conversationId: string }, BeginResult>;

/** And so do those that end. */
export type CommitTogether = GroupCommit<TurnReplies, CommitResult>;

export function beginTogether(db: Database, claim: TurnClaim, log: Log): BeginTogether {
  return createGroupCommit({
    groupOf: ({ agentId }) => agentId,
    write: (agentId, asked) => {
      const conversationIds = asked.map(({ conversationId }) => conversationId);
      return beginTurns(db, agentId, conversationIds, claim);
    },
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
