import type { AuditedChange } from "./audit.ts";
import type { OperatorCaller } from "./caller.ts";
import type { Database } from "./database.ts";
import type { Refusal } from "./refusal.ts";

/** How an operator's change is made: in one transaction, once for each Idempotency-Key, with its audit row. */
export interface OperatorWriting {
  write<Result>(
    caller: OperatorCaller,
    work: (db: Database) => Promise<Result | Refusal>,
  ): Promise<Result | Refusal>;
  /** Refuses for an agent that is unknown or deleted; keeps its row locked, so that its changes come one after another. */
  requireLiveAgent(db: Database, agentId: string): Promise<Refusal | undefined>;
  audit(db: Database, caller: OperatorCaller, change: AuditedChange): Promise<void>;
  recordRead(db: Database, caller: OperatorCaller, read: Omit<AuditedChange, "detail">): Promise<void>;
}
