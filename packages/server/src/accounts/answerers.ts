import { isInScope, ROLE_SCOPES, ROLES, routes } from "@signalbox/contract";
import { sql } from "kysely";
import { OPERATOR_SCOPE, type Database } from "../platform/index.ts";

const ANSWERING_ROLES = ROLES.filter((role) => isInScope(routes.takeTalk.scopes, ROLE_SCOPES[role]));

/** The accounts whose role, for this agent or for the installation, lets them answer users in the inbox; by name. */
export async function readAnswerers(
  db: Database,
  agentId: string,
): Promise<{ accountId: string; name: string; email: string }[]> {
  const { rows } = await sql<{ accountId: string; name: string; email: string }>`
    select a.id as "accountId", a.name, a.email from account a
    where a.deleted_at is null and exists (select from account_role r where r.account_id = a.id
      and r.agent_id in (${agentId}, ${OPERATOR_SCOPE}) and r.role = any(${[...ANSWERING_ROLES]}::text[]))
    order by a.name, a.id`.execute(db);
  return rows;
}
