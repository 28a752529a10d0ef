import { sql } from "kysely";
import {
  inTransaction,
  refuseBeyond,
  type Database,
  type Refusal,
  type Sealer,
  type StoredSeal,
} from "../platform/index.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { stepOfCode } from "./totp.ts";

/** Of one account, on all nodes: whoever has the password finds a code within the hour once in 33,000 times. */
const WRONG_PER_HOUR = 10;

export interface SecondFactorParts {
  db: Database;
  sealer: Sealer;
}

/** By what a sign-in was confirmed, for the audit. */
export type ConfirmedBy = "totp" | "recovery_code";

function sealingContext(accountId: string): string {
  return `account_totp|${accountId}|secret_sealed`;
}

export function sealTotpSecret(sealer: Sealer, accountId: string, secret: Buffer): Buffer {
  return sealer.seal(secret.toString("base64"), sealingContext(accountId));
}

export function openTotpSecret(sealer: Sealer, accountId: string, sealed: Buffer): Buffer {
  return Buffer.from(sealer.open(sealed, sealingContext(accountId)), "base64");
}

export async function hasSecondFactor(db: Database, accountId: string): Promise<boolean> {
  const found = await db
    .selectFrom("account_totp")
    .select("account_id")
    .where("account_id", "=", accountId)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Each code is accepted once. What was wrong is counted, and stays counted, so this is a transaction of its own. */
export async function checkOneTimeCode(
  { db, sealer }: SecondFactorParts,
  accountId: string,
  code: string,
): Promise<ConfirmedBy | undefined | Refusal> {
  const outcome = await inTransaction(db, async (db) => {
    const { rows } = await sql<{ secret_sealed: Buffer; last_step: number; now: Date; is_locked: boolean }>`
      select secret_sealed, last_step, now() as now,
        wrong_tries >= ${sql.lit(WRONG_PER_HOUR)} and wrong_since > now() - interval '1 hour' as is_locked
      from account_totp where account_id = ${accountId} and confirmed_at is not null for update`.execute(db);
    const [row] = rows;
    if (row === undefined) return "wrong";
    if (row.is_locked) return "locked";
    const secret = openTotpSecret(sealer, accountId, row.secret_sealed);
    const step = stepOfCode(secret, code, { timeMs: row.now.getTime(), lastStep: Number(row.last_step) });
    if (step !== undefined) {
      await sql`update account_totp set last_step = ${step}, wrong_tries = 0
        where account_id = ${accountId}`.execute(db);
      return "totp";
    }
    if (await useRecoveryCode(db, accountId, code)) return "recovery_code";
    await sql`update account_totp set
        wrong_tries = case when wrong_since > now() - interval '1 hour' then wrong_tries + 1 else 1 end,
        wrong_since = case when wrong_since > now() - interval '1 hour' and wrong_tries > 0 then wrong_since else now() end
      where account_id = ${accountId}`.execute(db);
    return "wrong";
  });
  if (outcome === "locked")
    return refuseBeyond(
      { name: "sign_in", most: WRONG_PER_HOUR },
      "too many wrong codes for this account; try again in an hour, or ask an owner to reset the second factor",
      3_600,
    );
  return outcome === "wrong" ? undefined : outcome;
}

/** Nothing is asked of this account from now on but the password. */
export async function removeSecondFactor(db: Database, accountId: string): Promise<boolean> {
  await db.deleteFrom("account_recovery_code").where("account_id", "=", accountId).execute();
  const removed = await db
    .deleteFrom("account_totp")
    .where("account_id", "=", accountId)
    .returning("confirmed_at")
    .executeTakeFirst();
  return removed !== undefined && removed.confirmed_at !== null;
}

/** One stored secret for each sealing key. */
export async function sampleTotpSeals(db: Database): Promise<StoredSeal[]> {
  const { rows } = await sql<{ account_id: string; secret_sealed: Buffer }>`
    select distinct on (substring(secret_sealed for 2 + get_byte(secret_sealed, 1))) account_id, secret_sealed
    from account_totp`.execute(db);
  return rows.map(({ account_id, secret_sealed }) => ({
    place: "account_totp.secret_sealed",
    sealed: secret_sealed,
    context: sealingContext(account_id),
  }));
}

/** Seals every secret with the newest sealing key; safe to repeat and under load. */
export async function resealTotp(db: Database, sealer: Sealer): Promise<number> {
  return inTransaction(db, async (db) => {
    const rows = await db
      .selectFrom("account_totp")
      .select(["account_id", "secret_sealed"])
      .forUpdate()
      .execute();
    let resealed = 0;
    for (const { account_id, secret_sealed } of rows) {
      if (sealer.isSealedByNewestKey(secret_sealed)) continue;
      const sealed = sealTotpSecret(sealer, account_id, openTotpSecret(sealer, account_id, secret_sealed));
      await db
        .updateTable("account_totp")
        .set({ secret_sealed: sealed })
        .where("account_id", "=", account_id)
        .execute();
      resealed += 1;
    }
    return resealed;
  });
}
