import { sql } from "kysely";
import type { IdempotencyKey } from "./caller.ts";
import type { Database } from "./database.ts";
import { Refusal, refuse } from "./refusal.ts";
import type { Sealer } from "./sealing.ts";

/** Operators act for no agent; their keys live under this id, which no agent has. */
export const OPERATOR_SCOPE = "00000000-0000-0000-0000-000000000000";

export interface OnceScope {
  agentId: string;
  idempotency: IdempotencyKey | undefined;
}

/**
 * Runs `work` once for an Idempotency-Key within 24 hours and gives its result again afterwards. The result commits with
 * the work itself, so a crash between the two cannot make a repeat act twice. Call it inside a transaction.
 */
export async function once<Result>(
  db: Database,
  sealer: Sealer,
  { agentId, idempotency }: OnceScope,
  work: (db: Database) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  if (idempotency === undefined) return work(db);
  const { keyHash } = idempotency;

  // A repeat that arrives while the first is at work waits here, then finds its result.
  await sql`select pg_advisory_xact_lock(hashtextextended(${agentId + keyHash.toString("hex")}, 0))`.execute(
    db,
  );
  const earlier = await recall<Result>(db, sealer, { agentId, idempotency });
  if (earlier !== undefined) return earlier;

  const result = await work(db);
  if (!(result instanceof Refusal)) await remember(db, sealer, { agentId, idempotency }, result);
  return result;
}

/** Writes down what a repeat of this call is answered with, in the transaction of what it did. */
export async function remember(
  db: Database,
  sealer: Sealer,
  { agentId, idempotency }: OnceScope,
  result: unknown,
): Promise<void> {
  if (idempotency === undefined) return;
  await db
    .insertInto("idempotency")
    .values({
      agent_id: agentId,
      key_hash: idempotency.keyHash,
      request_hash: idempotency.requestHash,
      result_sealed: sealer.seal(JSON.stringify(result), contextOf(agentId)),
    })
    .execute();
}

/** What this Idempotency-Key was answered with, if it was: for work that must not hold a transaction open. */
export async function recall<Result>(
  db: Database,
  sealer: Sealer,
  { agentId, idempotency }: OnceScope,
): Promise<Result | Refusal | undefined> {
  if (idempotency === undefined) return undefined;
  const earlier = await db
    .selectFrom("idempotency")
    .select(["request_hash", "result_sealed"])
    .where("agent_id", "=", agentId)
    .where("key_hash", "=", idempotency.keyHash)
    .where("created_at", ">", sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
  if (earlier === undefined) return undefined;
  if (!earlier.request_hash.equals(idempotency.requestHash)) {
    return refuse("stateConflict", "this Idempotency-Key was used for another request; use a new key");
  }
  return JSON.parse(sealer.open(earlier.result_sealed, contextOf(agentId))) as Result;
}

function contextOf(agentId: string): string {
  return `idempotency|${agentId}`;
}
