import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import {
  audit,
  inTransaction,
  OPERATOR_SCOPE,
  Refusal,
  refuse,
  type BrowserCaller,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import type { PasswordCheck } from "./password-check.ts";
import { refuseWeakPassword } from "./password-strength.ts";
import { hashPassword } from "./passwords.ts";
import { beginSignIn, type PendingSignIn } from "./pending-sign-in.ts";
import { hasSecondFactor } from "./second-factor.ts";
import { endSessions, needsAccount, startSession, type SignedIn } from "./sessions.ts";

export type SignIn = (
  browser: BrowserCaller,
  input: InputOf<"signIn">,
) => Promise<SignedIn | PendingSignIn | Refusal>;

export function createSignIn({ db }: { db: Database }, checkPassword: PasswordCheck): SignIn {
  return async (browser, { email, password }) => {
    const account = await db
      .selectFrom("account")
      .select(["id", "email", "name", "password_hash"])
      .where("email", "=", email)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    const isRight = await checkPassword({
      guess: { caller: browser, accountId: account?.id, name: email },
      password,
      stored: account?.password_hash,
    });
    if (isRight instanceof Refusal) return isRight;
    if (!isRight || account === undefined) return refuse("developerAuth", "wrong email or password");
    if (await hasSecondFactor(db, account.id)) return beginSignIn(db, account.id);
    return inTransaction(db, (db) => startSession(db, browser, account, { by: "password" }));
  };
}

/** Anyone who knew the old password is signed out everywhere else. */
export async function changePassword(
  parts: { db: Database; checkPassword: PasswordCheck },
  caller: OperatorCaller,
  { current_password, password }: InputOf<"changePassword">,
): Promise<Acknowledged | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  const account = await parts.db
    .selectFrom("account")
    .select(["email", "name", "password_hash"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  const isRight = await parts.checkPassword({
    guess: { caller, accountId, name: accountId },
    password: current_password,
    stored: account?.password_hash,
  });
  if (isRight instanceof Refusal) return isRight;
  if (!isRight || account === undefined)
    return refuse("wrongPassword", "current_password is not your password");
  const weak = refuseWeakPassword(password, account);
  if (weak !== undefined) return weak;
  const password_hash = await hashPassword(password);
  return inTransaction(parts.db, async (db) => {
    await db.updateTable("account").set({ password_hash }).where("id", "=", accountId).execute();
    await endSessions(db, { accountId, except: sessionId });
    const change = { action: "account.change_password", agentId: OPERATOR_SCOPE, subjectId: accountId };
    await audit(db, caller, { ...change, detail: {} });
    return ACKNOWLEDGED;
  });
}
