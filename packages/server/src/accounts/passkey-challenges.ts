import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

export const CHALLENGE_VALID_MS = 5 * 60_000;

/** The owner of a challenge: the session that adds a passkey, or the browser that signs in. */
export type ChallengeHolder = { sessionId: string } | { browserToken: string };

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function hashHolder(holder: ChallengeHolder): Buffer {
  return hash("sessionId" in holder ? `to create ${holder.sessionId}` : `to sign in ${holder.browserToken}`);
}

/** Until when it may be answered. */
export async function storeChallenge(
  db: Database,
  challenge: string,
  holder: ChallengeHolder,
): Promise<Date> {
  // So that those that nobody answered do not pile up.
  await sql`delete from account_passkey_challenge where expires_at < now()`.execute(db);
  const { expires_at } = await db
    .insertInto("account_passkey_challenge")
    .values({
      challenge_hash: hash(challenge),
      holder_hash: hashHolder(holder),
      expires_at: sql<Date>`now() + ${sql.lit(CHALLENGE_VALID_MS)} * interval '1 millisecond'`,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return expires_at;
}

/** Once, whatever becomes of the answer: it is deleted and committed before a signature is looked at. */
export async function takeChallenge(
  db: Database,
  challenge: string,
  holder: ChallengeHolder,
): Promise<boolean> {
  const { rows } = await sql<{ is_open: boolean }>`
    delete from account_passkey_challenge
    where challenge_hash = ${hash(challenge)} and holder_hash = ${hashHolder(holder)}
    returning expires_at > now() as is_open`.execute(db);
  return rows[0]?.is_open === true;
}
