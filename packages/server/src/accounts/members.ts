import { ACKNOWLEDGED, type Account, type Acknowledged, type InputOf } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { audit, refuse, type OperatorCaller, type Refusal } from "../platform/index.ts";
import { describeAccount, findAccount } from "./accounts.ts";

// What an owner of one agent may do with the people of that agent. Nothing here reads or changes a role for another one.

export function setMemberRole(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, account_id, role }: InputOf<"setMemberRole">,
): Promise<Account | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const changed = await db
      .updateTable("account_role")
      .set({ role })
      .where("account_id", "=", account_id)
      .where("agent_id", "=", agent_id)
      .returning("account_id")
      .executeTakeFirst();
    const row = changed === undefined ? undefined : await findAccount(db, account_id);
    if (row === undefined) return noMember();
    const change = { action: "account.set_role", agentId: agent_id, subjectId: account_id };
    await audit(db, caller, { ...change, detail: { role } });
    return describeAccount(row, [{ role, agent_id }]);
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
      .executeTakeFirst();
    if (removed === undefined) return noMember();
    const change = { action: "account.remove_role", agentId: agent_id, subjectId: account_id, detail: {} };
    await audit(db, caller, change);
    return ACKNOWLEDGED;
  });
}

/** The same for an account that is not there: who has an account is nothing an owner of one agent should find out. */
function noMember(): Refusal {
  return refuse("notFound", "this account has no role for this agent; invite the person first");
}
