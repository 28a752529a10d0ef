import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { audit, OPERATOR_SCOPE, refuse, type OperatorCaller, type Refusal } from "../platform/index.ts";
import { findAccount, noAccount } from "./accounts.ts";
import { removePasskeys } from "./passkeys.ts";
import { removeSecondFactor } from "./second-factor.ts";
import { endSessions } from "./sessions.ts";

/** For somebody who lost the app, the recovery codes or the passkey's device. It ends every session of the account. */
export function resetSecondFactor(
  parts: OperatorParts,
  caller: OperatorCaller,
  { account_id }: InputOf<"resetSecondFactor">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    if ((await findAccount(db, account_id)) === undefined) return noAccount();
    if (caller.sessionId !== undefined && caller.actorId === account_id)
      return refuse(
        "stateConflict",
        "this is your own account: turn one-time codes off with password and code, and remove passkeys one by one",
      );
    const [hadCodes, hadPasskeys] = [
      await removeSecondFactor(db, account_id),
      await removePasskeys(db, account_id),
    ];
    if (!hadCodes && !hadPasskeys)
      return refuse("stateConflict", "this account has no second factor and no passkey");
    await endSessions(db, { accountId: account_id });
    const change = { action: "account.reset_second_factor", agentId: OPERATOR_SCOPE, subjectId: account_id };
    await audit(db, caller, { ...change, detail: { codes: hadCodes, passkeys: hadPasskeys } });
    return ACKNOWLEDGED;
  });
}
