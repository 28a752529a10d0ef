import type { AuditedChange, Database, OperatorCaller, Refusal } from "../platform/index.ts";

/** How an operator's change is made: in one transaction, once for each Idempotency-Key, with its audit row. */
export interface OperatorWriting {
  write<Result>(
    caller: OperatorCaller,
    work: (db: Database) => Promise<Result | Refusal>,
  ): Promise<Result | Refusal>;
  audit(db: Database, caller: OperatorCaller, change: AuditedChange): Promise<void>;
}
