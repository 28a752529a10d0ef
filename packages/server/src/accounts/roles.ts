import { ROLE_SCOPES, ROLES, type AccountRole, type Role } from "@signalbox/contract";
import { sql } from "kysely";
import { OPERATOR_SCOPE, type Database } from "../platform/index.ts";

/** The roles of these accounts, by account. */
export async function readRoles(db: Database, accountIds: string[]): Promise<Map<string, AccountRole[]>> {
  const { rows } = await sql<{ account_id: string; agent_id: string; role: Role }>`
    select account_id, agent_id, role from account_role where account_id = any(${accountIds}::uuid[])
    order by account_id, agent_id, array_position(${[...ROLES]}::text[], role)`.execute(db);
  const roles = Map.groupBy(rows, (row) => row.account_id);
  return new Map(accountIds.map((id) => [id, (roles.get(id) ?? []).map(describeRole)]));
}

/** In the tables the zero id stands for the installation, on the wire null does. */
function describeRole<Row extends { agent_id: string; role: string }>(row: Row): AccountRole {
  return { role: row.role as Role, agent_id: shownAgent(row.agent_id) };
}

export function shownAgent(agentId: string): string | null {
  return agentId === OPERATOR_SCOPE ? null : agentId;
}

export function storedAgent(agentId: string | null | undefined): string {
  return agentId ?? OPERATOR_SCOPE;
}

/** Whether an owner of the installation is left, other than this account. */
export async function hasOwner(db: Database, except: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from account_role r join account a on a.id = r.account_id
      where r.agent_id = ${OPERATOR_SCOPE} and r.role = 'owner' and a.deleted_at is null and a.id <> ${except}) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/** Whether these roles together allow all that this one does. */
export function isCovered(role: Role, by: readonly Role[]): boolean {
  if (by.includes("owner")) return true;
  const allowed = by.flatMap((one) => ROLE_SCOPES[one]);
  return ROLE_SCOPES[role].every((scope) => allowed.includes(scope));
}

/** The roles of somebody for one agent, or for the installation, are these from now on. */
export async function storeRoles(
  db: Database,
  { accountId, agentId, roles }: { accountId: string; agentId: string; roles: readonly Role[] },
): Promise<void> {
  await sql`delete from account_role where account_id = ${accountId} and agent_id = ${agentId}`.execute(db);
  await sql`insert into account_role (account_id, agent_id, role)
    select ${accountId}, ${agentId}, unnest(${[...roles]}::text[])`.execute(db);
}
