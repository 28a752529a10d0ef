import {
  ACKNOWLEDGED,
  type Account,
  type AccountPage,
  type AccountRole,
  type Acknowledged,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  lockOperators,
  pageOfRows,
  pageStart,
  requireLiveAgent,
  writeAsOperator,
  type OperatorParts,
} from "../agents/index.ts";
import {
  audit,
  OPERATOR_SCOPE,
  Refusal,
  refuse,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { removePasskeys } from "./passkeys.ts";
import { isProven, notProven } from "./proven-address.ts";
import { hasOwner, isCovered, readRoles, storedAgent } from "./roles.ts";
import { removeSecondFactor } from "./second-factor.ts";
import { endSessions } from "./sessions.ts";

interface AccountRow {
  id: string;
  email: string;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
  has_second_factor: boolean;
  passkeys: number;
}

const ACCOUNT = sql`select a.id, a.email, a.name, a.created_at,
  (select max(last_used_at) from account_session s where s.account_id = a.id) as last_used_at,
  exists (select from account_totp t where t.account_id = a.id and t.confirmed_at is not null) as has_second_factor,
  (select count(*)::integer from account_passkey p where p.account_id = a.id) as passkeys
  from account a`;

/** With an agent_id: only accounts with a role for that agent, and only their roles for it. */
export async function listAccounts(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listAccounts">,
): Promise<AccountPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const ofAgent =
    agent_id === undefined
      ? sql``
      : sql`and exists (select from account_role r where r.account_id = a.id and r.agent_id = ${agent_id})`;
  const { rows } = await sql<AccountRow>`
    ${ACCOUNT} where a.deleted_at is null and a.id < ${start}::uuid ${ofAgent}
    order by a.id desc limit ${limit + 1}`.execute(db);
  const roles = await readRoles(
    db,
    rows.map(({ id }) => id),
  );
  const isShown = (role: AccountRole) => agent_id === undefined || role.agent_id === agent_id;
  return pageOfRows(rows, limit, (row) => describeAccount(row, (roles.get(row.id) ?? []).filter(isShown)));
}

export function describeAccount(row: AccountRow, roles: AccountRole[]): Account {
  return {
    account_id: row.id,
    email: row.email,
    name: row.name,
    roles,
    has_second_factor: row.has_second_factor,
    passkeys: row.passkeys,
    create_time: row.created_at.getTime(),
    last_used_time: row.last_used_at?.getTime() ?? null,
  };
}

export function setAccountRoles(
  parts: OperatorParts,
  caller: OperatorCaller,
  { account_id, roles }: InputOf<"setAccountRoles">,
): Promise<Account | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    // One after another: two that each saw the other as an owner would both step down.
    await lockOperators(db);
    const row = await findAccount(db, account_id);
    if (row === undefined) return noAccount();
    const isOwner = roles.some(({ role, agent_id }) => role === "owner" && agent_id === null);
    if (!isOwner && (await isOnlyOwner(db, account_id))) return lastOwner();
    if (!(await isProven(db, account_id)) && (await addsTo(db, account_id, roles))) return notProven();
    for (const { agent_id } of roles) {
      const missing = agent_id === null ? undefined : await requireLiveAgent(db, agent_id);
      if (missing !== undefined) return missing;
    }
    await db.deleteFrom("account_role").where("account_id", "=", account_id).execute();
    if (roles.length > 0)
      await db
        .insertInto("account_role")
        .values(roles.map(({ role, agent_id }) => ({ account_id, role, agent_id: storedAgent(agent_id) })))
        .execute();
    await auditAccount(db, caller, { action: "account.set_roles", subjectId: account_id, detail: { roles } });
    return describeAccount(row, roles);
  });
}

/** Whether somebody with these roles may do something that the account may not do now. */
async function addsTo(db: Database, accountId: string, roles: AccountRole[]): Promise<boolean> {
  const held = (await readRoles(db, [accountId])).get(accountId) ?? [];
  return roles.some(({ role, agent_id }) => {
    const before = held.filter((one) => one.agent_id === agent_id);
    return !isCovered(
      role,
      before.map((one) => one.role),
    );
  });
}

export function deleteAccount(
  parts: OperatorParts,
  caller: OperatorCaller,
  { account_id }: InputOf<"deleteAccount">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    await lockOperators(db);
    if ((await findAccount(db, account_id)) === undefined) return noAccount();
    if (await isOnlyOwner(db, account_id)) return lastOwner();
    await db
      .updateTable("account")
      .set({ deleted_at: sql`now()`, password_hash: "" })
      .where("id", "=", account_id)
      .execute();
    await db.deleteFrom("account_role").where("account_id", "=", account_id).execute();
    await removeSecondFactor(db, account_id);
    await removePasskeys(db, account_id);
    await db.deleteFrom("account_identity").where("account_id", "=", account_id).execute();
    await endSessions(db, { accountId: account_id });
    await auditAccount(db, caller, { action: "account.delete", subjectId: account_id, detail: {} });
    return ACKNOWLEDGED;
  });
}

export async function findAccount(db: Database, accountId: string): Promise<AccountRow | undefined> {
  const { rows } =
    await sql<AccountRow>`${ACCOUNT} where a.id = ${accountId} and a.deleted_at is null`.execute(db);
  return rows[0];
}

async function isOnlyOwner(db: Database, accountId: string): Promise<boolean> {
  const roles = (await readRoles(db, [accountId])).get(accountId) ?? [];
  const isOwner = roles.some(({ role, agent_id }) => role === "owner" && agent_id === null);
  return isOwner && !(await hasOwner(db, accountId));
}

function auditAccount(
  db: Database,
  caller: OperatorCaller,
  change: { action: string; subjectId: string; detail: Record<string, unknown> },
): Promise<void> {
  return audit(db, caller, { agentId: OPERATOR_SCOPE, ...change });
}

export function noAccount(): Refusal {
  return refuse("notFound", "there is no account with this account_id");
}

function lastOwner(): Refusal {
  return refuse(
    "stateConflict",
    "this is the only owner of the installation; make somebody else an owner first",
  );
}
