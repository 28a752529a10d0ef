import {
  ACKNOWLEDGED,
  type Acknowledged,
  type InputOf,
  type Passkey,
  type PasskeyList,
  type PasskeyOptions,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  inTransaction,
  newId,
  OPERATOR_SCOPE,
  Refusal,
  refuse,
  type Database,
  type Log,
  type OperatorCaller,
} from "../platform/index.ts";
import { checkOwnPassword, type PasswordCheck } from "./password-check.ts";
import { CHALLENGE_VALID_MS, storeChallenge, takeChallenge } from "./passkey-challenges.ts";
import { checkCreated, optionsToCreate, type RelyingParty } from "./passkey-protocol.ts";
import { needsAccount } from "./sessions.ts";

const PASSKEYS_MAX = 20;

export interface PasskeyParts {
  db: Database;
  log: Log;
  /** Undefined: this installation has no name that passkeys could be bound to. */
  relyingParty: RelyingParty | undefined;
}

interface PasskeyRow {
  id: string;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

const COLUMNS = ["id", "name", "created_at", "last_used_at"] as const;

export async function listPasskeys(
  { db }: { db: Database },
  { actorId: accountId, sessionId }: OperatorCaller,
): Promise<PasskeyList | Refusal> {
  if (sessionId === undefined || accountId === null) return needsAccount();
  const rows = await db
    .selectFrom("account_passkey")
    .select(COLUMNS)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
  return { list: rows.map(describePasskey) };
}

function describePasskey(row: PasskeyRow): Passkey {
  return {
    passkey_id: row.id,
    name: row.name,
    create_time: row.created_at.getTime(),
    last_used_time: row.last_used_at?.getTime() ?? null,
  };
}

/** With the password: a stolen session alone must not leave a key behind. */
export async function startPasskey(
  { db, relyingParty, checkPassword }: PasskeyParts & { checkPassword: PasswordCheck },
  caller: OperatorCaller,
  { password }: InputOf<"startPasskey">,
): Promise<PasskeyOptions | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  if (relyingParty === undefined) return noPasskeys();
  const account = await checkOwnPassword({ db, checkPassword }, caller, accountId, password);
  if (account instanceof Refusal) return account;
  const known = await db
    .selectFrom("account_passkey")
    .select(["credential_id", "transports"])
    .where("account_id", "=", accountId)
    .execute();
  if (known.length >= PASSKEYS_MAX) return tooMany();
  const others = known.map(({ credential_id, transports }) => ({
    id: credential_id.toString("base64url"),
    transports,
  }));
  const owner = { id: accountId, ...account };
  const options = await optionsToCreate(relyingParty, owner, others, CHALLENGE_VALID_MS);
  const expiresAt = await storeChallenge(db, options.challenge, { sessionId });
  return { passkey_options: { ...options }, expire_time: expiresAt.getTime() };
}

export async function createPasskey(
  { db, log, relyingParty }: PasskeyParts,
  caller: OperatorCaller,
  { name, credential }: InputOf<"createPasskey">,
): Promise<Passkey | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  if (relyingParty === undefined) return noPasskeys();
  const created = await checkCreated(credential, {
    relyingParty,
    log,
    takeChallenge: (challenge) => takeChallenge(db, challenge, { sessionId }),
  });
  if (created === undefined)
    return refuse(
      "badParameter",
      "credential does not answer an open challenge of this session on a page of PUBLIC_URL; start again",
    );
  return inTransaction(db, async (db) => {
    // One after another, so that many at once are no more than the limit.
    const { rows } = await sql<{ passkeys: number }>`
      select (select count(*)::integer from account_passkey p where p.account_id = a.id) as passkeys
      from account a where a.id = ${accountId} for update`.execute(db);
    if ((rows[0]?.passkeys ?? 0) >= PASSKEYS_MAX) return tooMany();
    const row = await db
      .insertInto("account_passkey")
      .values({
        id: newId(),
        account_id: accountId,
        credential_id: Buffer.from(created.id, "base64url"),
        public_key: Buffer.from(created.publicKey),
        counter: created.counter,
        transports: created.transports ?? [],
        name,
      })
      .onConflict((conflict) => conflict.column("credential_id").doNothing())
      .returning(COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return refuse("stateConflict", "this passkey is registered already");
    await auditPasskey(db, caller, "account.add_passkey", accountId, row.id);
    return describePasskey(row);
  });
}

export async function renamePasskey(
  { db }: { db: Database },
  caller: OperatorCaller,
  { passkey_id, name }: InputOf<"renamePasskey">,
): Promise<Passkey | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  return inTransaction(db, async (db) => {
    const row = await db
      .updateTable("account_passkey")
      .set({ name })
      .where("id", "=", passkey_id)
      .where("account_id", "=", accountId)
      .returning(COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return notYours();
    await auditPasskey(db, caller, "account.rename_passkey", accountId, passkey_id);
    return describePasskey(row);
  });
}

export async function deletePasskey(
  { db }: { db: Database },
  caller: OperatorCaller,
  { passkey_id }: InputOf<"deletePasskey">,
): Promise<Acknowledged | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  return inTransaction(db, async (db) => {
    const row = await db
      .deleteFrom("account_passkey")
      .where("id", "=", passkey_id)
      .where("account_id", "=", accountId)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined) return notYours();
    await auditPasskey(db, caller, "account.remove_passkey", accountId, passkey_id);
    return ACKNOWLEDGED;
  });
}

/** All of them, for an account that is deleted or whose devices are lost. */
export async function removePasskeys(db: Database, accountId: string): Promise<boolean> {
  const removed = await db
    .deleteFrom("account_passkey")
    .where("account_id", "=", accountId)
    .returning("id")
    .execute();
  return removed.length > 0;
}

function auditPasskey(
  db: Database,
  caller: OperatorCaller,
  action: string,
  accountId: string,
  passkey: string,
): Promise<void> {
  return audit(db, caller, { action, agentId: OPERATOR_SCOPE, subjectId: accountId, detail: { passkey } });
}

export function noPasskeys(): Refusal {
  return refuse(
    "notFound",
    "this installation has no passkeys: they need PUBLIC_URL with a host name, over HTTPS",
  );
}

function notYours(): Refusal {
  return refuse("notFound", "you have no passkey with this passkey_id");
}

function tooMany(): Refusal {
  return refuse("stateConflict", `an account has at most ${PASSKEYS_MAX} passkeys; remove one first`);
}
