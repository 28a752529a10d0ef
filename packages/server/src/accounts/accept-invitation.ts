import type { InputOf, InvitationOffer, Role } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { lockOperators } from "../agents/index.ts";
import {
  audit,
  inTransaction,
  newId,
  OPERATOR_SCOPE,
  refuse,
  type BrowserCaller,
  type Database,
  type Refusal,
} from "../platform/index.ts";
import { hasAccounts, hashInvitation } from "./invitations.ts";
import { refuseWeakPassword } from "./password-strength.ts";
import { hashPassword } from "./passwords.ts";
import { shownAgent } from "./roles.ts";
import { accountActor, startSession, type SignedIn } from "./sessions.ts";

interface OpenInvitation {
  id: string;
  email: string | null;
  role: Role;
  agent_id: string;
  agent_name: string | null;
  is_first: boolean;
  expires_at: Date;
}

export async function lookAtInvitation(
  { db }: { db: Database },
  { token }: InputOf<"lookAtInvitation">,
): Promise<InvitationOffer | Refusal> {
  const found = await findOpen(db, token);
  if (found === undefined || (found.is_first && (await hasAccounts(db)))) return noInvitation();
  const { email, role, agent_id, agent_name, expires_at } = found;
  return {
    email,
    role,
    agent_id: shownAgent(agent_id),
    agent_name,
    // Always false for a link without an address: a link must not tell who has an account.
    has_account: email !== null && (await hasAccountOf(db, email)),
    expire_time: expires_at.getTime(),
  };
}

/** A link works once: its row is locked, and a second request finds it used. */
export async function acceptInvitation(
  { db }: { db: Database },
  browser: BrowserCaller,
  { token, email, name, password }: InputOf<"acceptInvitation">,
): Promise<SignedIn | Refusal> {
  const offered = await findOpen(db, token);
  if (offered === undefined || (offered.email !== null && offered.email !== email)) return noInvitation();
  const weak = refuseWeakPassword(password, { email, name });
  if (weak !== undefined) return weak;
  const password_hash = await hashPassword(password);
  return inTransaction(db, async (db) => {
    // One after another: two that each found no account would both become the first.
    await lockOperators(db);
    const invitation = await lockInvitation(db, token);
    if (invitation === undefined) return noInvitation();
    if (await hasAccountOf(db, email))
      return refuse("stateConflict", "there is an account with this email; sign in to accept the invitation");
    const account = { id: newId(), email, name };
    await db
      .insertInto("account")
      .values({ ...account, password_hash, email_proven_at: invitation.email === null ? null : sql`now()` })
      .execute();
    const { agent_id, role } = invitation;
    await db.insertInto("account_role").values({ account_id: account.id, agent_id, role }).execute();
    await closeInvitation(db, invitation.id);
    const actor = accountActor(account, browser);
    const detail = { invitation: invitation.id, role };
    await audit(db, actor, { action: "account.create", agentId: agent_id, subjectId: account.id, detail });
    return startSession(db, browser, account, { by: "invitation" });
  });
}

/** Undefined once it is used; until the transaction ends, nobody else uses it. */
export async function lockInvitation(db: Database, token: string): Promise<OpenInvitation | undefined> {
  const invitation = await findOpen(db, token, sql`for update of i`);
  return invitation?.is_first === true && (await hasAccounts(db)) ? undefined : invitation;
}

export async function closeInvitation(db: Database, invitationId: string): Promise<void> {
  await db
    .updateTable("account_invitation")
    .set({ accepted_at: sql`now()` })
    .where("id", "=", invitationId)
    .execute();
}

async function hasAccountOf(db: Database, email: string): Promise<boolean> {
  const found = await db
    .selectFrom("account")
    .select("id")
    .where("email", "=", email)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return found !== undefined;
}

/** The newest open one for this address, for somebody whose address is proven otherwise than by its link. */
export async function lockInvitationFor(db: Database, email: string): Promise<OpenInvitation | undefined> {
  const newest = sql`order by i.id desc limit 1 for update of i`;
  return selectOpen(db, sql`i.email = ${email} and not i.is_first`, newest);
}

function findOpen(db: Database, token: string, lock = sql``): Promise<OpenInvitation | undefined> {
  return selectOpen(db, sql`i.token_hash = ${hashInvitation(token)}`, lock);
}

async function selectOpen(
  db: Database,
  which: RawBuilder<unknown>,
  rest: RawBuilder<unknown>,
): Promise<OpenInvitation | undefined> {
  const { rows } = await sql<OpenInvitation>`
    select i.id, i.email, i.role, i.agent_id, g.name as agent_name, i.is_first, i.expires_at
    from account_invitation i left join agent g on g.id = i.agent_id and i.agent_id <> ${OPERATOR_SCOPE}
    where ${which} and i.accepted_at is null and i.revoked_at is null
      and i.expires_at > now() and g.deleted_at is null ${rest}`.execute(db);
  return rows[0];
}

/** The same whether it was used, withdrawn, is past its time, is for somebody else or was never there. */
export function noInvitation(): Refusal {
  return refuse(
    "notFound",
    "this invitation is not open any more, or is for another address; ask for a new one",
  );
}
