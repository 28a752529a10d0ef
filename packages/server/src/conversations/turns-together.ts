import { createGroupCommit, type Database, type GroupCommit, type Log } from "../platform/index.ts";
import { beginTurns, type BeginResult, type TurnCall, type TurnClaim } from "./turn-store.ts";

/** Turns of one agent that are opened at the same moment share a statement. */
export type BeginTogether = GroupCommit<TurnCall & { agentId: string }, BeginResult>;

export function beginTogether(db: Database, claim: TurnClaim, log: Log): BeginTogether {
  return createGroupCommit({
    groupOf: ({ agentId }) => agentId,
    write: (agentId, asked) => beginTurns(db, agentId, asked, claim),
    // A turn is given to the same call again.
    readBack: "repeatable",
    log,
  });
}
