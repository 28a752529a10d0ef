import { ROLE_SCOPES, ROLES, type InputOf, type Role, type Session } from "@signalbox/contract";
import { lockOperators } from "../agents/index.ts";
import {
  audit,
  inTransaction,
  Refusal,
  refuse,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { closeInvitation, lockInvitation, noInvitation } from "./accept-invitation.ts";
import { findAccount } from "./accounts.ts";
import { readRoles, storedAgent } from "./roles.ts";
import { getSession, needsAccount } from "./sessions.ts";

/** Somebody who has an account accepts an invitation: its role is added to theirs. Once, as for a new account. */
export async function joinWithAccount(
  { db }: { db: Database },
  caller: OperatorCaller,
  { token }: InputOf<"joinWithAccount">,
): Promise<Session | Refusal> {
  const { actorId: account_id, sessionId } = caller;
  if (sessionId === undefined || account_id === null) return needsAccount();
  const joined = await inTransaction(db, async (db) => {
    await lockOperators(db);
    const account = await findAccount(db, account_id);
    const invitation = await lockInvitation(db, token);
    if (account === undefined || invitation === undefined) return noInvitation();
    if (invitation.email !== null && invitation.email !== account.email) return noInvitation();
    const { agent_id, role } = invitation;
    const roles = (await readRoles(db, [account_id])).get(account_id) ?? [];
    const held = roles.find((one) => storedAgent(one.agent_id) === agent_id)?.role;
    if (held !== undefined && !isMore(role, held))
      return refuse(
        "stateConflict",
        `you already have the role ${held} here, and ${role} would not add to it; ask an owner to change your role`,
      );
    await db
      .insertInto("account_role")
      .values({ account_id, agent_id, role })
      .onConflict((conflict) => conflict.columns(["account_id", "agent_id"]).doUpdateSet({ role }))
      .execute();
    await closeInvitation(db, invitation.id);
    const detail = { invitation: invitation.id, role };
    const change = { action: "account.accept_invitation", agentId: agent_id, subjectId: account_id };
    await audit(db, caller, { ...change, detail });
    return account;
  });
  return joined instanceof Refusal ? joined : getSession({ db }, caller);
}

/** Whether a role allows all that another does, and more: nobody loses access by opening a link. */
function isMore(role: Role, held: Role): boolean {
  if (ROLES.indexOf(role) >= ROLES.indexOf(held)) return false;
  return role === "owner" || ROLE_SCOPES[held].every((scope) => ROLE_SCOPES[role].includes(scope));
}
