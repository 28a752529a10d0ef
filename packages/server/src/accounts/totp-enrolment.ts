import {
  ACKNOWLEDGED,
  type Acknowledged,
  type InputOf,
  type RecoveryCodes,
  type SecondFactor,
  type TotpEnrolment,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  inTransaction,
  OPERATOR_SCOPE,
  Refusal,
  refuse,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { checkOwnPassword, type PasswordCheck } from "./password-check.ts";
import { countRecoveryCodes, replaceRecoveryCodes } from "./recovery-codes.ts";
import {
  checkOneTimeCode,
  openTotpSecret,
  removeSecondFactor,
  sealTotpSecret,
  type CodeParts,
  type SecondFactorParts,
} from "./second-factor.ts";
import { endSessions, needsAccount } from "./sessions.ts";
import { base32, newTotpSecret, otpauthUri, stepOfCode } from "./totp.ts";

type Parts = CodeParts & { checkPassword: PasswordCheck };

export async function getSecondFactor(
  { db }: { db: Database },
  { actorId: accountId, sessionId }: OperatorCaller,
): Promise<SecondFactor | Refusal> {
  if (sessionId === undefined || accountId === null) return needsAccount();
  const row = await db
    .selectFrom("account_totp")
    .select("confirmed_at")
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return {
    enable_time: row?.confirmed_at?.getTime() ?? null,
    recovery_codes_left: await countRecoveryCodes(db, accountId),
  };
}

/** With the password: with a stolen session alone nobody locks the owner of an account out. */
export async function startTotp(
  parts: Parts,
  caller: OperatorCaller,
  { password }: InputOf<"startTotp">,
): Promise<TotpEnrolment | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  const account = await checkOwnPassword(parts, caller, accountId, password);
  if (account instanceof Refusal) return account;
  const secret = newTotpSecret();
  const { rows } = await sql`
    insert into account_totp (account_id, secret_sealed)
    values (${accountId}, ${sealTotpSecret(parts.sealer, accountId, secret)})
    on conflict (account_id) do update set secret_sealed = excluded.secret_sealed, created_at = now()
      where account_totp.confirmed_at is null
    returning account_id`.execute(parts.db);
  if (rows.length === 0) return refuse("stateConflict", "one-time codes are on already; turn them off first");
  return { totp_secret: base32(secret), otpauth_uri: otpauthUri(secret, account.email) };
}

/** The first code proves that the app has the secret. Other sessions end: they began with the password alone. */
export async function confirmTotp(
  { db, sealer }: SecondFactorParts,
  caller: OperatorCaller,
  { one_time_code }: InputOf<"confirmTotp">,
): Promise<RecoveryCodes | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  return inTransaction(db, async (db) => {
    const { rows } = await sql<{ secret_sealed: Buffer; now: Date }>`
      select secret_sealed, now() as now from account_totp
      where account_id = ${accountId} and confirmed_at is null for update`.execute(db);
    const [row] = rows;
    if (row === undefined)
      return refuse("stateConflict", "there is nothing to confirm; start with POST /admin/v1/account/totp");
    const secret = openTotpSecret(sealer, accountId, row.secret_sealed);
    const step = stepOfCode(secret, one_time_code, { timeMs: row.now.getTime(), lastStep: 0 });
    if (step === undefined)
      return refuse("badParameter", "one_time_code is not the code that the app should show now");
    await sql`update account_totp set confirmed_at = now(), last_step = ${step}
      where account_id = ${accountId}`.execute(db);
    const recovery_codes = await replaceRecoveryCodes(db, accountId);
    await endSessions(db, { accountId, except: sessionId });
    const change = { action: "account.enable_totp", agentId: OPERATOR_SCOPE, subjectId: accountId };
    await audit(db, caller, { ...change, detail: {} });
    return { recovery_codes };
  });
}

export async function disableTotp(
  parts: Parts,
  caller: OperatorCaller,
  { password, one_time_code }: InputOf<"disableTotp">,
): Promise<Acknowledged | Refusal> {
  const { actorId: accountId, sessionId } = caller;
  if (sessionId === undefined || accountId === null) return needsAccount();
  const account = await checkOwnPassword(parts, caller, accountId, password);
  if (account instanceof Refusal) return account;
  const confirmed = await checkOneTimeCode(parts, caller, accountId, one_time_code);
  if (confirmed instanceof Refusal) return confirmed;
  if (confirmed === undefined)
    return refuse("badParameter", "one_time_code is neither a current code nor a recovery code");
  return inTransaction(parts.db, async (db) => {
    await removeSecondFactor(db, accountId);
    const change = { action: "account.disable_totp", agentId: OPERATOR_SCOPE, subjectId: accountId };
    await audit(db, caller, { ...change, detail: { confirmed_by: confirmed } });
    return ACKNOWLEDGED;
  });
}
