import { createHash } from "node:crypto";
import type { InputOf, SecondFactorNeeded } from "@signalbox/contract";
import { sql } from "kysely";
import {
  inTransaction,
  newId,
  randomText,
  Refusal,
  refuse,
  type BrowserCaller,
  type Database,
} from "../platform/index.ts";
import { checkOneTimeCode, type CodeParts } from "./second-factor.ts";
import { startSession, type SignedIn } from "./sessions.ts";

const VALID_MINUTES = 5;
/** For one sign-in; the account has a limit of its own (second-factor.ts). */
const TRIES = 5;

export interface PendingSignIn {
  needed: SecondFactorNeeded;
  /** For a cookie, this once: only the browser that gave the password may give the code. */
  token: string;
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The password was right. Nothing is open yet. */
export async function beginSignIn(db: Database, accountId: string): Promise<PendingSignIn> {
  await sql`delete from account_sign_in where account_id = ${accountId} and expires_at < now()`.execute(db);
  const token = `sbp_${randomText(40)}`;
  const { expires_at } = await db
    .insertInto("account_sign_in")
    .values({
      id: newId(),
      account_id: accountId,
      token_hash: hashToken(token),
      expires_at: sql<Date>`now() + ${sql.lit(VALID_MINUTES)} * interval '1 minute'`,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { token, needed: { second_factor: "totp", expire_time: expires_at.getTime() } };
}

/** Each try counts before the code is looked at, so that many at once are no more than five. */
export async function confirmSignIn(
  parts: CodeParts,
  browser: BrowserCaller,
  { one_time_code }: InputOf<"confirmSignIn">,
): Promise<SignedIn | Refusal> {
  const { rows } = await sql<{ id: string; account_id: string; email: string; name: string }>`
    update account_sign_in p set tries = tries + 1 from account a
    where p.token_hash = ${hashToken(browser.signInToken ?? "")} and p.expires_at > now()
      and p.tries < ${sql.lit(TRIES)} and a.id = p.account_id and a.deleted_at is null
    returning p.id, a.id as account_id, a.email, a.name`.execute(parts.db);
  const [pending] = rows;
  if (pending === undefined)
    return refuse("signInExpired", "this sign-in has expired, or had too many tries; sign in again");
  const confirmed = await checkOneTimeCode(parts, browser, pending.account_id, one_time_code);
  if (confirmed instanceof Refusal) return confirmed;
  if (confirmed === undefined) return refuse("developerAuth", "wrong code");
  const account = { ...pending, id: pending.account_id };
  return inTransaction(parts.db, async (db) => {
    const taken = await db
      .deleteFrom("account_sign_in")
      .where("id", "=", pending.id)
      .returning("id")
      .executeTakeFirst();
    if (taken === undefined)
      return refuse("signInExpired", "this sign-in was ended meanwhile; sign in again");
    return startSession(db, browser, account, { confirmed_by: confirmed });
  });
}
