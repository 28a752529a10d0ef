import {
  audit,
  OPERATOR_SCOPE,
  type BrowserCaller,
  type Database,
  type Log,
  type OperatorCaller,
} from "../platform/index.ts";

export interface RefusedSignIn {
  caller: BrowserCaller | OperatorCaller;
  by: "password" | "one_time_code" | "passkey" | "oidc" | "link";
  /** Undefined: nobody knows whose it is. What was typed is not kept, as no row of the audit is ever erased. */
  accountId: string | undefined;
}

/** In a session it is a password or code that was asked for again. */
export async function recordRefusal(
  { db, log }: { db: Database; log: Log },
  { caller, by, accountId }: RefusedSignIn,
): Promise<void> {
  const { id: requestId, address } = caller.request;
  log.info("sign_in_refused", { requestId, address, by, ...(accountId !== undefined && { accountId }) });
  await audit(db, caller, {
    action: caller.kind === "browser" ? "account.refuse_sign_in" : "account.refuse_password",
    agentId: OPERATOR_SCOPE,
    subjectId: accountId ?? null,
    detail: { by },
  });
}

/** The account, browser, session or address has no tries left for so long. */
export function recordLock(
  db: Database,
  { caller, by, accountId }: RefusedSignIn,
  { of, minutes }: { of: string; minutes: number },
): Promise<void> {
  return audit(db, caller, {
    action: "account.lock",
    agentId: OPERATOR_SCOPE,
    subjectId: of === "address" ? null : (accountId ?? null),
    detail: { by, limited: of, minutes },
  });
}
