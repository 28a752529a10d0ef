import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { IdempotencyKey } from "./caller.ts";
import type { Database } from "./database.ts";
import { derivedId } from "./ids.ts";
import { Refusal, refuse } from "./refusal.ts";
import type { Sealer } from "./sealing.ts";

/** Operators act for no agent; their keys live under this id, which no agent has. */
export const OPERATOR_SCOPE = "00000000-0000-0000-0000-000000000000";

export interface OnceScope {
  agentId: string;
  idempotency: IdempotencyKey | undefined;
  /** The conversation, or ids made by `aboutUser`, with which the remembered answer is erased. */
  about?: readonly string[];
}

/** Names a user in what is remembered without telling who it is. */
export function aboutUser(
  agentId: string,
  { userId, anonymousIds = [] }: { userId?: string | null | undefined; anonymousIds?: readonly string[] },
): string[] {
  const named = anonymousIds.map((id) => derivedId("anonymous_id", agentId, id));
  return userId ? [derivedId("user_id", agentId, userId), ...named] : named;
}

/** The key as one principal's own, for a caller who is known only after the request was read. */
export function ownedBy(principal: string, idempotency: IdempotencyKey): IdempotencyKey {
  const keyHash = createHash("sha256").update(principal).update("\n").update(idempotency.keyHash).digest();
  return { ...idempotency, keyHash };
}

/** A result that holds a secret. It is returned once and never stored; a repeat is refused with `whenRepeated`. */
export class ShownOnce<Result> {
  readonly result: Result;
  readonly whenRepeated: string;

  constructor(result: Result, whenRepeated: string) {
    this.result = result;
    this.whenRepeated = whenRepeated;
  }
}

/**
 * Runs `work` once for an Idempotency-Key within 24 hours and gives its result again afterwards. The result commits with
 * the work itself, so a crash between the two cannot make a repeat act twice. Call it inside a transaction.
 */
export async function once<Result>(
  db: Database,
  sealer: Sealer,
  scope: OnceScope,
  work: (db: Database) => Promise<Result | ShownOnce<Result> | Refusal>,
): Promise<Result | Refusal> {
  const { agentId, idempotency } = scope;
  if (idempotency === undefined) {
    const result = await work(db);
    return result instanceof ShownOnce ? result.result : result;
  }
  const { keyHash } = idempotency;

  // A repeat that arrives while the first is at work waits here, then finds its result.
  await sql`select pg_advisory_xact_lock(hashtextextended(${agentId + keyHash.toString("hex")}, 0))`.execute(
    db,
  );
  const earlier = await recall<Result>(db, sealer, { agentId, idempotency });
  if (earlier !== undefined) return earlier;

  const result = await work(db);
  if (result instanceof Refusal) return result;
  await remember(db, sealer, scope, result);
  return result instanceof ShownOnce ? result.result : result;
}

/** Writes down what a repeat of this call is answered with, in the transaction of what it did. */
export async function remember(
  db: Database,
  sealer: Sealer,
  { agentId, idempotency, about = [] }: OnceScope,
  result: unknown,
): Promise<void> {
  if (idempotency === undefined) return;
  await db
    .insertInto("idempotency")
    .values({
      agent_id: agentId,
      key_hash: idempotency.keyHash,
      request_hash: idempotency.requestHash,
      about: about.length === 0 ? null : [...about],
      ...(result instanceof ShownOnce
        ? { refusal: result.whenRepeated }
        : { result_sealed: sealer.seal(JSON.stringify(result), contextOf(agentId)) }),
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
    .select(["request_hash", "result_sealed", "refusal"])
    .where("agent_id", "=", agentId)
    .where("key_hash", "=", idempotency.keyHash)
    .where("created_at", ">", sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
  if (earlier === undefined) return undefined;
  if (!earlier.request_hash.equals(idempotency.requestHash)) {
    return refuse("stateConflict", "this Idempotency-Key was used for another request; use a new key");
  }
  if (earlier.result_sealed === null) return refuse("stateConflict", earlier.refusal ?? undefined);
  return JSON.parse(sealer.open(earlier.result_sealed, contextOf(agentId))) as Result;
}

function contextOf(agentId: string): string {
  return `idempotency|${agentId}`;
}
