import {
  inTransaction,
  once,
  OPERATOR_SCOPE,
  type Database,
  type OperatorCaller,
  type Refusal,
  type Sealer,
  type ShownOnce,
} from "../platform/index.ts";

export interface OperatorParts {
  db: Database;
  sealer: Sealer;
}

/** One change by an operator: one transaction, its audit row included, once for each Idempotency-Key. */
export function writeAsOperator<Result>(
  { db, sealer }: OperatorParts,
  { idempotency }: OperatorCaller,
  work: (db: Database) => Promise<Result | ShownOnce<Result> | Refusal>,
): Promise<Result | Refusal> {
  return inTransaction(db, (db) => once(db, sealer, { agentId: OPERATOR_SCOPE, idempotency }, work));
}
