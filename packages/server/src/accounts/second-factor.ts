import { sql } from "kysely";
import {
  inTransaction,
  type BrowserCaller,
  type Database,
  type OperatorCaller,
  type Refusal,
  type Sealer,
  type StoredSeal,
} from "../platform/index.ts";
import type { GuessLimit } from "./guess-limit.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { stepOfCode } from "./totp.ts";

export interface SecondFactorParts {
  db: Database;
  sealer: Sealer;
}

export interface CodeParts extends SecondFactorParts {
  limit: GuessLimit;
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

/** Each code is accepted once. */
export function checkOneTimeCode(
  { db, sealer, limit }: CodeParts,
  caller: BrowserCaller | OperatorCaller,
  accountId: string,
  code: string,
): Promise<ConfirmedBy | undefined | Refusal> {
  const judge = () =>
    inTransaction(db, async (db): Promise<ConfirmedBy | undefined> => {
      const { rows } = await sql<{ secret_sealed: Buffer; last_step: number; now: Date }>`
        select secret_sealed, last_step, now() as now
        from account_totp where account_id = ${accountId} and confirmed_at is not null for update`.execute(
        db,
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const secret = openTotpSecret(sealer, accountId, row.secret_sealed);
      const step = stepOfCode(secret, code, { timeMs: row.now.getTime(), lastStep: Number(row.last_step) });
      if (step === undefined)
        return (await useRecoveryCode(db, accountId, code)) ? "recovery_code" : undefined;
      await sql`update account_totp set last_step = ${step} where account_id = ${accountId}`.execute(db);
      return "totp";
    });
  return limit.judge({ by: "one_time_code", caller, accountId, name: accountId }, judge);
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
