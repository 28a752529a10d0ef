import { createHash } from "node:crypto";
import {
  ACKNOWLEDGED,
  type Acknowledged,
  type AccountRole,
  type InputOf,
  type Session,
  type SessionPage,
} from "@signalbox/contract";
import { sql } from "kysely";
import { pageOfRows, pageStart } from "../agents/index.ts";
import {
  audit,
  newId,
  OPERATOR_SCOPE,
  randomText,
  refuse,
  Refusal,
  type BrowserCaller,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { readRoles } from "./roles.ts";

/** A session ends this long after it began, however busy it is. */
const SESSION_DAYS = 30;
/** And this long after it was last used. */
const IDLE_DAYS = 7;
const USER_AGENT_CHARACTERS_KEPT = 300;

export interface SignedIn {
  session: Session;
  /** For the cookie, this once; only its hash is stored. */
  token: string;
}

export function hashSessionToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Neither ended nor expired, of an account that is there; `s` is the session and `a` its account. */
export const IN_FORCE = sql`s.revoked_at is null and s.expires_at > now()
  and s.last_used_at > now() - ${sql.lit(IDLE_DAYS)} * interval '1 day' and a.deleted_at is null`;

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
): Promise<SignedIn> {
  if (browser.sessionToken !== undefined) await endSessions(db, { token: browser.sessionToken });
  // So that they do not pile up; each account has few.
  await sql`delete from account_session where account_id = ${account.id}
    and expires_at < now() - ${sql.lit(SESSION_DAYS)} * interval '1 day'`.execute(db);
  const token = `sbs_${randomText(40)}`;
  const row = await db
    .insertInto("account_session")
    .values({
      id: newId(),
      account_id: account.id,
      token_hash: hashSessionToken(token),
      address: browser.request.address,
      user_agent: browser.userAgent.slice(0, USER_AGENT_CHARACTERS_KEPT),
      expires_at: sql<Date>`now() + ${sql.lit(SESSION_DAYS)} * interval '1 day'`,
    })
    .returning(["id", "expires_at"])
    .executeTakeFirstOrThrow();
  const roles = await readRoles(db, [account.id]);
  return { token, session: describeSession(row, account, roles.get(account.id) ?? []) };
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
  return describeSession(row, { ...row, id: row.account_id }, roles.get(row.account_id) ?? []);
}

function describeSession(
  row: { id: string; expires_at: Date },
  { id, email, name }: { id: string; email: string; name: string },
  roles: AccountRole[],
): Session {
  return {
    session_id: row.id,
    account: { account_id: id, email, name },
    roles,
    expire_time: row.expires_at.getTime(),
  };
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
  await endSessions(db, { sessionId: caller.sessionId });
  return ACKNOWLEDGED;
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
  if ("accountId" in which)
    await db.deleteFrom("account_sign_in").where("account_id", "=", which.accountId).execute();
}

export function sessionEnded(): Refusal {
  return refuse("developerAuth", "this session has ended; sign in again");
}

export function needsAccount(): Refusal {
  return refuse("missingScope", "this call is about your own account: sign in with one instead of a token");
}
