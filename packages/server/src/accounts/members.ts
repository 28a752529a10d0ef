import { ACKNOWLEDGED, type Account, type Acknowledged, type InputOf } from "@signalbox/contract";
import { lockOperators, requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { audit, refuse, type OperatorCaller, type Refusal } from "../platform/index.ts";
import { describeAccount, findAccount } from "./accounts.ts";
import { isProven, notProven } from "./proven-address.ts";
import { isCovered, readRoles, storeRoles } from "./roles.ts";

// What an owner of one agent may do with the people of that agent. Nothing here reads or changes a role for another one.

export function setMemberRoles(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, account_id, roles }: InputOf<"setMemberRoles">,
): Promise<Account | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    await lockOperators(db);
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const held = ((await readRoles(db, [account_id])).get(account_id) ?? [])
      .filter((one) => one.agent_id === agent_id)
      .map(({ role }) => role);
    const row = held.length === 0 ? undefined : await findAccount(db, account_id);
    if (row === undefined) return noMember();
    if (roles.some((role) => !isCovered(role, held)) && !(await isProven(db, account_id))) return notProven();
    await storeRoles(db, { accountId: account_id, agentId: agent_id, roles });
    const change = { action: "account.set_roles", agentId: agent_id, subjectId: account_id };
    await audit(db, caller, { ...change, detail: { roles } });
    return describeAccount(
      row,
      roles.map((role) => ({ role, agent_id })),
    );
  });
}

export function removeMember(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, account_id }: InputOf<"removeMember">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const removed = await db
      .deleteFrom("account_role")
      .where("account_id", "=", account_id)
      .where("agent_id", "=", agent_id)
      .returning("account_id")
      .execute();
    if (removed.length === 0) return noMember();
    const change = { action: "account.remove_role", agentId: agent_id, subjectId: account_id, detail: {} };
    await audit(db, caller, change);
    return ACKNOWLEDGED;
  });
}

/** The same for an account that is not there: who has an account is nothing an owner of one agent should find out. */
function noMember(): Refusal {
  return refuse("notFound", "this account has no role for this agent; invite the person first");
}
