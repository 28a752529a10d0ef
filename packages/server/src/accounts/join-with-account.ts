import type { InputOf, Session } from "@signalbox/contract";
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
import { isProven, notProven } from "./proven-address.ts";
import { isCovered, readRoles, storedAgent, storeRoles } from "./roles.ts";
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
    if (invitation.email !== null) {
      if (invitation.email !== account.email) return noInvitation();
      if (!(await isProven(db, account_id))) return notProven();
    }
    const { agent_id, role } = invitation;
    const roles = (await readRoles(db, [account_id])).get(account_id) ?? [];
    const held = roles.filter((one) => storedAgent(one.agent_id) === agent_id).map((one) => one.role);
    if (isCovered(role, held))
      return refuse(
        "stateConflict",
        `${role} would not add to the roles that you have here (${held.join(", ")}); ask an owner to change your roles`,
      );
    const kept = held.filter((one) => !isCovered(one, [role]));
    await storeRoles(db, { accountId: account_id, agentId: agent_id, roles: [...kept, role] });
    await closeInvitation(db, invitation.id);
    const detail = { invitation: invitation.id, role };
    const change = { action: "account.accept_invitation", agentId: agent_id, subjectId: account_id };
    await audit(db, caller, { ...change, detail });
    return account;
  });
  return joined instanceof Refusal ? joined : getSession({ db }, caller);
}
