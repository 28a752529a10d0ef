import { createHash, randomInt } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

const CODES = 10;
const GROUPS = 4;
const GROUP_CHARACTERS = 4;
/** Without those that are taken for one another on paper. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

/** 79 bits each: too many to try, so that a plain hash is enough. */
function newRecoveryCode(): string {
  const group = () =>
    Array.from({ length: GROUP_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

function hashRecoveryCode(code: string): Buffer {
  const bare = code.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return createHash("sha256").update(bare).digest();
}

/** The ones before are worth nothing from then on. */
export async function replaceRecoveryCodes(db: Database, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newRecoveryCode);
  await db.deleteFrom("account_recovery_code").where("account_id", "=", accountId).execute();
  await db
    .insertInto("account_recovery_code")
    .values(codes.map((code) => ({ account_id: accountId, code_hash: hashRecoveryCode(code) })))
    .execute();
  return codes;
}

/** Whether it was one; it is none afterwards. */
export async function useRecoveryCode(db: Database, accountId: string, code: string): Promise<boolean> {
  const used = await db
    .deleteFrom("account_recovery_code")
    .where("account_id", "=", accountId)
    .where("code_hash", "=", hashRecoveryCode(code))
    .returning("account_id")
    .executeTakeFirst();
  return used !== undefined;
}

export async function countRecoveryCodes(db: Database, accountId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*)::int as left from account_recovery_code where account_id = ${accountId}`.execute(db);
  return rows[0]?.left ?? 0;
}
