import { useMemo } from "react";
import { type Access, accessOf } from "./access.ts";
import { useCall } from "./calls.ts";
import { useSession } from "./session.ts";

/** Which scopes a token has only the service knows. */
const OF_A_TOKEN: Access = { may: () => true, isForAgentsOnly: false, accountId: undefined };
const OF_NOBODY: Access = { may: () => false, isForAgentsOnly: false, accountId: undefined };
/** So that a role that was changed shows without a reload. */
const ROLES_EVERY_MS = 60_000;

/** The account that is signed in, if it is one. */
export function useAccount() {
  const session = useSession();
  const isAccount = session !== undefined && "isAccount" in session;
  const query = useCall("getSession", {}, { enabled: isAccount, refetchMs: ROLES_EVERY_MS });
  return { ...query, isAccount };
}

export function useAccess(): Access {
  const { data, isAccount } = useAccount();
  return useMemo(() => {
    if (!isAccount) return OF_A_TOKEN;
    return data === undefined ? OF_NOBODY : accessOf(data.account.account_id, data.roles);
  }, [isAccount, data]);
}
