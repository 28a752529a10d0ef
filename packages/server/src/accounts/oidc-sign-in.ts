import type { InputOf, OidcSignIn, Role } from "@signalbox/contract";
import { sql } from "kysely";
import { lockOperators } from "../agents/index.ts";
import {
  audit,
  inTransaction,
  newId,
  OPERATOR_SCOPE,
  refuse,
  type BrowserCaller,
  type Database,
  type Log,
  Refusal,
  type Sealer,
} from "../platform/index.ts";
import { closeInvitation, lockInvitation, lockInvitationFor } from "./accept-invitation.ts";
import type { OidcAttempt, OidcPerson, OidcProvider } from "./oidc-provider.ts";
import { beginSignIn, type PendingSignIn } from "./pending-sign-in.ts";
import { proveAddress } from "./proven-address.ts";
import { hasSecondFactor } from "./second-factor.ts";
import { accountActor, startSession, type SignedIn } from "./sessions.ts";
import { recordRefusal } from "./sign-in-audit.ts";

const CONTEXT = "oidc_sign_in";
const VALID_MS = 10 * 60_000;
const CALLBACK = "/console/oidc";

export interface OidcParts {
  db: Database;
  sealer: Sealer;
  log: Log;
  /** Undefined: the operator configured none. */
  provider: OidcProvider | undefined;
}

export interface OidcStarted {
  reply: OidcSignIn;
  /** For a cookie: what the browser must bring back, sealed, so that nothing is stored here. */
  token: string;
  expiresAt: Date;
}

export async function startOidcSignIn(
  { provider, sealer, log }: OidcParts,
  { request }: BrowserCaller,
): Promise<OidcStarted | Refusal> {
  if (provider === undefined) return notConfigured();
  const expiresAt = new Date(Date.now() + VALID_MS);
  try {
    const { attempt, url } = await provider.begin(`${request.pageOrigin}${CALLBACK}`);
    const sealed = sealer.seal(JSON.stringify({ ...attempt, expiresAt: expiresAt.getTime() }), CONTEXT);
    return { reply: { authorization_url: url }, token: sealed.toString("base64url"), expiresAt };
  } catch (error) {
    log.warn("oidc_sign_in_failed", { err: error });
    return refuse(
      "notAccepting",
      "the identity provider cannot be reached; sign in another way, or try again",
    );
  }
}

/** Nobody gets in without an account or an invitation. A second factor of ours is asked for all the same. */
export async function finishOidcSignIn(
  parts: OidcParts,
  browser: BrowserCaller,
  { authorization_code, oidc_state, oidc_issuer, invitation_token }: InputOf<"finishOidcSignIn">,
): Promise<SignedIn | PendingSignIn | Refusal> {
  const { provider, sealer, log, db } = parts;
  if (provider === undefined) return notConfigured();
  const attempt = openAttempt(sealer, browser.signInToken);
  if (attempt === undefined || attempt.state !== oidc_state)
    return refuse(
      "signInExpired",
      "this sign-in was not started in this browser, or took too long; start again",
    );
  let person: OidcPerson;
  try {
    const issuer = oidc_issuer ?? undefined;
    const answer = { code: authorization_code, state: oidc_state, ...(issuer !== undefined && { issuer }) };
    person = await provider.finish(attempt, answer);
  } catch (error) {
    log.warn("oidc_sign_in_failed", { err: error });
    await recordRefusal(parts, { caller: browser, by: "oidc", accountId: undefined });
    return refuse("developerAuth", "the identity provider did not confirm this sign-in; try again");
  }
  const signedIn = await inTransaction(db, (db) => signInPerson(db, browser, person, invitation_token));
  if (signedIn instanceof Refusal)
    await recordRefusal(parts, { caller: browser, by: "oidc", accountId: undefined });
  return signedIn;
}

async function signInPerson(
  db: Database,
  browser: BrowserCaller,
  person: OidcPerson,
  token: string | null | undefined,
): Promise<SignedIn | PendingSignIn | Refusal> {
  await lockOperators(db);
  const account = (await findLinked(db, person)) ?? (await linkByEmail(db, browser, person, token));
  if (account === undefined)
    return refuse(
      "noAccount",
      "there is no account and no invitation for this person, or another person at the identity provider has this address's account; ask an owner for an invitation to the address that the identity provider has verified",
    );
  if (person.verifiedEmail === account.email)
    await proveAddress(db, account.id, { actor: accountActor(account, browser), by: "oidc" });
  if (await hasSecondFactor(db, account.id)) return beginSignIn(db, account.id);
  return startSession(db, browser, account, { by: "oidc" });
}

interface KnownAccount {
  id: string;
  email: string;
  name: string;
}

async function findLinked(db: Database, { issuer, subject }: OidcPerson): Promise<KnownAccount | undefined> {
  const { rows } = await sql<KnownAccount>`
    select a.id, a.email, a.name from account_identity i join account a on a.id = i.account_id
    where i.issuer = ${issuer} and i.subject = ${subject} and a.deleted_at is null`.execute(db);
  return rows[0];
}

/**
 * The first time: by the address, if the provider has verified it. From then on the address may change, and another person
 * who was given the same address later is not let in by it.
 */
async function linkByEmail(
  db: Database,
  browser: BrowserCaller,
  person: OidcPerson,
  token: string | null | undefined,
): Promise<KnownAccount | undefined> {
  const { issuer, subject, verifiedEmail: email } = person;
  if (email === undefined) return undefined;
  const existing = await db
    .selectFrom("account")
    .select(["id", "email", "name"])
    .where("email", "=", email)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const account =
    existing ?? (await createInvited(db, browser, { email, name: person.name ?? email }, token));
  if (account === undefined || (await hasIdentity(db, account.id, issuer))) return undefined;
  await db.insertInto("account_identity").values({ issuer, subject, account_id: account.id }).execute();
  const change = { action: "account.link_identity", agentId: OPERATOR_SCOPE, subjectId: account.id };
  await audit(db, accountActor(account, browser), { ...change, detail: { issuer } });
  return account;
}

async function hasIdentity(db: Database, accountId: string, issuer: string): Promise<boolean> {
  const found = await db
    .selectFrom("account_identity")
    .select("subject")
    .where("account_id", "=", accountId)
    .where("issuer", "=", issuer)
    .executeTakeFirst();
  return found !== undefined;
}

async function createInvited(
  db: Database,
  browser: BrowserCaller,
  { email, name }: { email: string; name: string },
  token: string | null | undefined,
): Promise<KnownAccount | undefined> {
  const invitation =
    typeof token === "string" ? await lockInvitation(db, token) : await lockInvitationFor(db, email);
  if (invitation === undefined || (invitation.email !== null && invitation.email !== email)) return undefined;
  const account = { id: newId(), email, name };
  // No password fits it; an owner's link may set one.
  await db
    .insertInto("account")
    .values({ ...account, password_hash: "", email_proven_at: sql`now()` })
    .execute();
  const { agent_id, role }: { agent_id: string; role: Role } = invitation;
  await db.insertInto("account_role").values({ account_id: account.id, agent_id, role }).execute();
  await closeInvitation(db, invitation.id);
  const change = { action: "account.create", agentId: agent_id, subjectId: account.id };
  const detail = { invitation: invitation.id, role };
  await audit(db, accountActor(account, browser), { ...change, detail });
  return account;
}

function openAttempt(sealer: Sealer, token: string | undefined): OidcAttempt | undefined {
  try {
    const opened = JSON.parse(sealer.open(Buffer.from(token ?? "", "base64url"), CONTEXT)) as OidcAttempt & {
      expiresAt: number;
    };
    return opened.expiresAt > Date.now() ? opened : undefined;
  } catch {
    return undefined;
  }
}

function notConfigured(): Refusal {
  return refuse("notFound", "this installation has no identity provider; sign in with email and password");
}
