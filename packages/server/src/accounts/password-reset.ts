import { createHash } from "node:crypto";
import {
  ACKNOWLEDGED,
  type Acknowledged,
  type CreatedPasswordReset,
  type InputOf,
  type PasswordResetOffer,
} from "@signalbox/contract";
import { sql } from "kysely";
import { writeAsOperator, type OperatorParts } from "../agents/index.ts";
import {
  audit,
  inTransaction,
  newId,
  OPERATOR_SCOPE,
  randomText,
  refuse,
  ShownOnce,
  type BrowserCaller,
  type Database,
  type OperatorCaller,
  type Refusal,
} from "../platform/index.ts";
import { findAccount, noAccount } from "./accounts.ts";
import { removePasskeys } from "./passkeys.ts";
import { refuseWeakPassword } from "./password-strength.ts";
import { hashPassword } from "./passwords.ts";
import { proveAddress } from "./proven-address.ts";
import { accountActor, endSessions } from "./sessions.ts";

const VALID_HOURS = 1;

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** An earlier link of this account is worth nothing from then on. */
export function createPasswordReset(
  parts: OperatorParts,
  caller: OperatorCaller,
  { account_id }: InputOf<"createPasswordReset">,
): Promise<CreatedPasswordReset | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    if ((await findAccount(db, account_id)) === undefined) return noAccount();
    // A stolen session must not set a password without knowing the old one.
    if (caller.sessionId !== undefined && caller.actorId === account_id)
      return refuse("stateConflict", "this is your own account: change its password with the one you have");
    await db.deleteFrom("account_password_reset").where("account_id", "=", account_id).execute();
    const token = `sbr_${randomText(40)}`;
    const { expires_at } = await db
      .insertInto("account_password_reset")
      .values({
        id: newId(),
        account_id,
        token_hash: hashToken(token),
        expires_at: sql<Date>`now() + ${sql.lit(VALID_HOURS)} * interval '1 hour'`,
      })
      .returning("expires_at")
      .executeTakeFirstOrThrow();
    const change = {
      action: "account.create_password_reset",
      agentId: OPERATOR_SCOPE,
      subjectId: account_id,
    };
    await audit(db, caller, { ...change, detail: {} });
    return new ShownOnce(
      {
        account_id,
        reset_token: token,
        // Behind #, so that no server and no Referer ever sees it.
        path: `/console/reset#${token}`,
        expire_time: expires_at.getTime(),
      },
      `a password reset of the account ${account_id} was created and its token is shown once, in the first answer to this Idempotency-Key; if that answer was lost, create another under a new Idempotency-Key`,
    );
  });
}

interface OpenReset {
  account_id: string;
  email: string;
  name: string;
  expires_at: Date;
}

const whereOpen = (token: string) =>
  sql`r.token_hash = ${hashToken(token)} and r.expires_at > now() and a.id = r.account_id and a.deleted_at is null`;

async function findOpen(db: Database, token: string): Promise<OpenReset | undefined> {
  const { rows } = await sql<OpenReset>`
    select r.account_id, a.email, a.name, r.expires_at
    from account_password_reset r, account a where ${whereOpen(token)}`.execute(db);
  return rows[0];
}

/** The delete takes the row, so a second request finds none. */
async function takeOpen(db: Database, token: string): Promise<OpenReset | undefined> {
  const { rows } = await sql<OpenReset>`
    delete from account_password_reset r using account a where ${whereOpen(token)}
    returning r.account_id, a.email, a.name, r.expires_at`.execute(db);
  return rows[0];
}

export async function lookAtPasswordReset(
  { db }: { db: Database },
  { token }: InputOf<"lookAtPasswordReset">,
): Promise<PasswordResetOffer | Refusal> {
  const found = await findOpen(db, token);
  return found === undefined ? noReset() : { email: found.email, expire_time: found.expires_at.getTime() };
}

/** Once, and no older way in is left but the identity provider. Nobody is signed in: a second factor of a proven account stays. */
export async function resetPassword(
  { db }: { db: Database },
  browser: BrowserCaller,
  { token, password }: InputOf<"resetPassword">,
): Promise<Acknowledged | Refusal> {
  // Before the work of hashing, which a stranger should not be able to ask for.
  const open = await findOpen(db, token);
  if (open === undefined) return noReset();
  const weak = refuseWeakPassword(password, open);
  if (weak !== undefined) return weak;
  const password_hash = await hashPassword(password);
  return inTransaction(db, async (db) => {
    const found = await takeOpen(db, token);
    if (found === undefined) return noReset();
    const { account_id: accountId } = found;
    const actor = accountActor({ ...found, id: accountId }, browser);
    await proveAddress(db, accountId, { actor, by: "password_reset" });
    await db.updateTable("account").set({ password_hash }).where("id", "=", accountId).execute();
    const passkeys = await removePasskeys(db, accountId);
    await endSessions(db, { accountId });
    const change = { action: "account.reset_password", agentId: OPERATOR_SCOPE, subjectId: accountId };
    await audit(db, actor, { ...change, detail: { passkeys } });
    return ACKNOWLEDGED;
  });
}

/** The same whether it was used, replaced, is past its time or was never there. */
function noReset(): Refusal {
  return refuse("notFound", "this link was used, replaced or has expired; ask an owner for a new one");
}
