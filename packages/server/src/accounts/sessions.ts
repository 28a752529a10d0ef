import { createHash } from "node:crypto";
import {
  ACKNOWLEDGED,
  type Acknowledged,
  type AccountRole,
  type InputOf,
  type Role,
  type Session,
  type SessionPage,
} from "@signalbox/contract";
import { sql } from "kysely";
import { pageOfRows, pageStart } from "../agents/index.ts";
import {
  audit,
  inTransaction,
  newId,
  OPERATOR_SCOPE,
  randomText,
  refuse,
  Refusal,
  type BrowserCaller,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { forgetDevices, rememberDevice, type Device } from "./devices.ts";
import { readRoles } from "./roles.ts";

/** A session ends this long after it began, however busy it is. */
const SESSION_DAYS = 30;
/** And this long after it was last used. */
const IDLE_DAYS = 7;
/** People who may hand out access sign in again each working day (ASVS 4.0.3, 3.3.2). */
const POWERFUL: readonly Role[] = ["owner", "developer"];
const POWERFUL_HOURS = 12;
const USER_AGENT_CHARACTERS_KEPT = 300;

export interface SignedIn {
  session: Session;
  /** For the cookie, this once; only its hash is stored. */
  token: string;
  device: Device;
}

export function hashSessionToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Neither ended nor expired, of an account that is there; `s` is the session and `a` its account. */
export const IN_FORCE = sql`s.revoked_at is null and s.expires_at > now()
  and s.last_used_at > now() - ${sql.lit(IDLE_DAYS)} * interval '1 day' and a.deleted_at is null
  and (s.created_at > now() - ${sql.lit(POWERFUL_HOURS)} * interval '1 hour' or not exists (
    select from account_role r where r.account_id = a.id and r.role = any(${sql.lit(`{${POWERFUL.join(",")}}`)}::text[])))`;

/** Somebody who signs in, for the audit. */
export function accountActor(
  { id, email, name }: { id: string; email: string; name: string },
  { request }: BrowserCaller,
): OperatorCaller {
  return {
    kind: "operator",
    actor: "account",
    actorId: id,
    actorName: actorNameOf({ email, name }),
    sessionId: undefined,
    agentIds: undefined,
    idempotency: undefined,
    request,
  };
}

export function actorNameOf({ email, name }: { email: string; name: string }): string {
  return `${name} <${email}>`;
}

/** Always a new token: one that the browser had before, from whomever, opens nothing of this account. */
export async function startSession(
  db: Database,
  browser: BrowserCaller,
  account: { id: string; email: string; name: string },
  /** The way it was signed in, for the audit. */
  detail: Record<string, unknown>,
): Promise<SignedIn> {
  if (browser.sessionToken !== undefined) await endSessions(db, { token: browser.sessionToken });
  // So that they do not pile up; each account has few.
  await sql`delete from account_session where account_id = ${account.id}
    and expires_at < now() - ${sql.lit(SESSION_DAYS)} * interval '1 day'`.execute(db);
  const token = `sbs_${randomText(40)}`;
  const device = await rememberDevice(db, browser.deviceToken, account.id);
  const roles = (await readRoles(db, [account.id])).get(account.id) ?? [];
  const hours = roles.some(({ role }) => POWERFUL.includes(role)) ? POWERFUL_HOURS : SESSION_DAYS * 24;
  const row = await db
    .insertInto("account_session")
    .values({
      id: newId(),
      account_id: account.id,
      token_hash: hashSessionToken(token),
      device_id: device.id,
      address: browser.request.address,
      user_agent: browser.userAgent.slice(0, USER_AGENT_CHARACTERS_KEPT),
      expires_at: sql<Date>`now() + ${hours} * interval '1 hour'`,
    })
    .returning(["id", "expires_at"])
    .executeTakeFirstOrThrow();
  await audit(db, accountActor(account, browser), {
    action: "account.sign_in",
    agentId: OPERATOR_SCOPE,
    subjectId: row.id,
    detail,
  });
  const changedAt = await credentialsChangedAt(db, account.id);
  return { token, device, session: describeSession(row, account, roles, changedAt) };
}

export async function getSession(
  { db }: { db: Database },
  caller: OperatorCaller,
): Promise<Session | Refusal> {
  if (caller.sessionId === undefined) return needsAccount();
  const { rows } = await sql<{
    id: string;
    expires_at: Date;
    account_id: string;
    email: string;
    name: string;
  }>`
    select s.id, s.expires_at, a.id as account_id, a.email, a.name from account_session s
    join account a on a.id = s.account_id where s.id = ${caller.sessionId} and ${IN_FORCE}`.execute(db);
  const [row] = rows;
  if (row === undefined) return sessionEnded();
  const roles = await readRoles(db, [row.account_id]);
  const changedAt = await credentialsChangedAt(db, row.account_id);
  return describeSession(row, { ...row, id: row.account_id }, roles.get(row.account_id) ?? [], changedAt);
}

function describeSession(
  row: { id: string; expires_at: Date },
  { id, email, name }: { id: string; email: string; name: string },
  roles: AccountRole[],
  changedAt: Date | null,
): Session {
  return {
    session_id: row.id,
    account: { account_id: id, email, name },
    roles,
    expire_time: row.expires_at.getTime(),
    credentials_change_time: changedAt?.getTime() ?? null,
  };
}

/** As audited: what opens an account from now on is not what opened it before. */
const CREDENTIAL_CHANGES = [
  "account.change_password",
  "account.reset_password",
  "account.add_passkey",
  "account.remove_passkey",
  "account.enable_totp",
  "account.disable_totp",
  "account.reset_second_factor",
  "account.link_identity",
  "account.prove_address",
];

/** Shown to its owner: somebody else may have done it. */
async function credentialsChangedAt(db: Database, accountId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(at) as at from audit
    where subject_id = ${accountId} and action = any(${CREDENTIAL_CHANGES}::text[])`.execute(db);
  return rows[0]?.at ?? null;
}

export async function listSessions(
  { db }: { db: Database },
  caller: OperatorCaller,
  { cursor, limit }: InputOf<"listSessions">,
): Promise<SessionPage | Refusal> {
  if (caller.sessionId === undefined) return needsAccount();
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const { rows } = await sql<{
    id: string;
    address: string;
    user_agent: string;
    created_at: Date;
    last_used_at: Date;
    expires_at: Date;
  }>`
    select s.* from account_session s join account a on a.id = s.account_id
    where s.account_id = ${caller.actorId} and s.id < ${start}::uuid and ${IN_FORCE}
    order by s.id desc limit ${limit + 1}`.execute(db);
  return pageOfRows(rows, limit, (row) => ({
    session_id: row.id,
    is_current: row.id === caller.sessionId,
    address: row.address,
    user_agent: row.user_agent,
    create_time: row.created_at.getTime(),
    last_used_time: row.last_used_at.getTime(),
    expire_time: row.expires_at.getTime(),
  }));
}

export async function signOut(
  { db }: { db: Database },
  caller: OperatorCaller,
): Promise<Acknowledged | Refusal> {
  if (caller.sessionId === undefined) return needsAccount();
  const { sessionId } = caller;
  return inTransaction(db, async (db) => {
    await endSessions(db, { sessionId });
    await audit(db, caller, {
      action: "account.sign_out",
      agentId: OPERATOR_SCOPE,
      subjectId: sessionId,
      detail: {},
    });
    return ACKNOWLEDGED;
  });
}

/** Ending one that has ended is no mistake. */
export async function revokeSession(
  { db }: { db: Database },
  caller: OperatorCaller,
  { session_id }: InputOf<"revokeSession">,
): Promise<Acknowledged | Refusal> {
  if (caller.sessionId === undefined || caller.actorId === null) return needsAccount();
  const found = await db
    .selectFrom("account_session")
    .select("id")
    .where("id", "=", session_id)
    .where("account_id", "=", caller.actorId)
    .executeTakeFirst();
  if (found === undefined) return refuse("notFound", "you have no session with this session_id");
  await endSessions(db, { sessionId: session_id });
  const detail = {};
  await audit(db, caller, {
    action: "account_session.revoke",
    agentId: OPERATOR_SCOPE,
    subjectId: session_id,
    detail,
  });
  return ACKNOWLEDGED;
}

type Ended = { token: string } | { sessionId: string } | { accountId: string; except?: string | undefined };

export async function endSessions(db: Database, which: Ended): Promise<void> {
  const chosen =
    "token" in which
      ? sql`token_hash = ${hashSessionToken(which.token)}`
      : "sessionId" in which
        ? sql`id = ${which.sessionId}`
        : sql`account_id = ${which.accountId} and id is distinct from ${which.except ?? null}::uuid`;
  await sql`update account_session set revoked_at = now() where revoked_at is null and ${chosen}`.execute(db);
  // A sign-in that waits for its code began with what holds no more.
  if ("accountId" in which) {
    await db.deleteFrom("account_sign_in").where("account_id", "=", which.accountId).execute();
    await forgetDevices(db, which.accountId, which.except);
  }
}

export function sessionEnded(): Refusal {
  return refuse("developerAuth", "this session has ended; sign in again");
}

export function needsAccount(): Refusal {
  return refuse("missingScope", "this call is about your own account: sign in with one instead of a token");
}
