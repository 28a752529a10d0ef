import { sql } from "kysely";
import { audit, OPERATOR_SCOPE, refuse, type Actor, type Database, type Refusal } from "../platform/index.ts";
import { removePasskeys } from "./passkeys.ts";
import { removeSecondFactor } from "./second-factor.ts";
import { endSessions } from "./sessions.ts";

// With an open invitation anybody can register any address. Such an account is its registrant's and not the addressee's: it
// has what the link gave, and gets nothing that somebody means for the address.

/** The way by which the holder of an address proved to be that. */
export type ProvenBy = "oidc" | "password_reset";

export async function isProven(db: Database, accountId: string): Promise<boolean> {
  const found = await db
    .selectFrom("account")
    .select("id")
    .where("id", "=", accountId)
    .where("email_proven_at", "is not", null)
    .executeTakeFirst();
  return found !== undefined;
}

/** The first proof: the account stays, and nothing opens it any more that somebody else may have set up before. */
export async function proveAddress(
  db: Database,
  accountId: string,
  { actor, by }: { actor: Actor; by: ProvenBy },
): Promise<void> {
  const first = await db
    .updateTable("account")
    .set({ email_proven_at: sql`now()`, password_hash: "" })
    .where("id", "=", accountId)
    .where("email_proven_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (first === undefined) return;
  await removeSecondFactor(db, accountId);
  await removePasskeys(db, accountId);
  await db.deleteFrom("account_password_reset").where("account_id", "=", accountId).execute();
  await endSessions(db, { accountId });
  const change = { action: "account.prove_address", agentId: OPERATOR_SCOPE, subjectId: accountId };
  await audit(db, actor, { ...change, detail: { by } });
}

export function notProven(): Refusal {
  return refuse(
    "stateConflict",
    "nobody has proven yet that the address of this account is theirs; they sign in at the identity provider, or use a password reset link that an owner gives them, and then it can have this role",
  );
}
