import type { InputOf, PasskeyOptions } from "@signalbox/contract";
import { sql } from "kysely";
import {
  inTransaction,
  randomText,
  refuse,
  type BrowserCaller,
  type Database,
  type Refusal,
} from "../platform/index.ts";
import { CHALLENGE_VALID_MS, storeChallenge, takeChallenge } from "./passkey-challenges.ts";
import { checkSignature, optionsToSignIn } from "./passkey-protocol.ts";
import { noPasskeys, type PasskeyParts } from "./passkeys.ts";
import { startSession, type SignedIn } from "./sessions.ts";
import { recordRefusal } from "./sign-in-audit.ts";

export interface PasskeySignIn {
  reply: PasskeyOptions;
  /** For a cookie: only the browser that started may finish. */
  token: string;
  expiresAt: Date;
}

export async function startPasskeySignIn({
  db,
  relyingParty,
}: PasskeyParts): Promise<PasskeySignIn | Refusal> {
  if (relyingParty === undefined) return noPasskeys();
  const options = await optionsToSignIn(relyingParty, CHALLENGE_VALID_MS);
  const token = `sbk_${randomText(40)}`;
  const expiresAt = await storeChallenge(db, options.challenge, { browserToken: token });
  return { token, expiresAt, reply: { passkey_options: { ...options }, expire_time: expiresAt.getTime() } };
}

/** The device was there and unlocked by its owner, which is two factors: no one-time code is asked for. */
export async function finishPasskeySignIn(
  { db, log, relyingParty }: PasskeyParts,
  browser: BrowserCaller,
  { credential }: InputOf<"finishPasskeySignIn">,
): Promise<SignedIn | Refusal> {
  if (relyingParty === undefined) return noPasskeys();
  const passkey = await findPasskey(db, credential["id"]);
  if (passkey === undefined) {
    await recordRefusal({ db, log }, { caller: browser, by: "passkey", accountId: undefined });
    return refuse("noAccount", "this passkey is not registered here, or was removed");
  }
  const refused = async () => {
    await recordRefusal({ db, log }, { caller: browser, by: "passkey", accountId: passkey.account_id });
    return notConfirmed();
  };
  const counter = await checkSignature(
    credential,
    {
      id: passkey.credential_id.toString("base64url"),
      publicKey: new Uint8Array(passkey.public_key),
      counter: Number(passkey.counter),
      accountId: passkey.account_id,
    },
    {
      relyingParty,
      log,
      takeChallenge: (challenge) => takeChallenge(db, challenge, { browserToken: browser.signInToken ?? "" }),
    },
  );
  if (counter === undefined) return refused();
  const account = { id: passkey.account_id, email: passkey.email, name: passkey.account_name };
  const signedIn = await inTransaction(db, async (db) => {
    // Again, as it may have been removed or used meanwhile: a copy must not win the race against its original.
    const { rows } = await sql<{ id: string }>`
      update account_passkey set counter = ${counter}::bigint, last_used_at = now()
      where id = ${passkey.id} and (counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))
      returning id`.execute(db);
    if (rows.length === 0) return undefined;
    return startSession(db, browser, account, { by: "passkey", passkey: passkey.id });
  });
  return signedIn ?? refused();
}

interface FoundPasskey {
  id: string;
  account_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  counter: string;
  email: string;
  account_name: string;
}

async function findPasskey(db: Database, id: unknown): Promise<FoundPasskey | undefined> {
  if (typeof id !== "string") return undefined;
  const { rows } = await sql<FoundPasskey>`
    select p.id, p.account_id, p.credential_id, p.public_key, p.counter, a.email, a.name as account_name
    from account_passkey p join account a on a.id = p.account_id
    where p.credential_id = ${Buffer.from(id, "base64url")} and a.deleted_at is null`.execute(db);
  return rows[0];
}

function notConfirmed(): Refusal {
  return refuse(
    "developerAuth",
    "the passkey did not confirm this sign-in; start again, in this browser and on a page of PUBLIC_URL",
  );
}
