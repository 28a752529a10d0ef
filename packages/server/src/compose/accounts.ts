import type { Session } from "@signalbox/contract";
import * as accounts from "../accounts/index.ts";
import { NO_SESSION_COOKIES, sessionCookie, type RouteHandlers } from "../http/index.ts";
import { HeadedReply, Refusal, type BrowserCaller } from "../platform/index.ts";
import type { RouteParts } from "./parts.ts";

export function accountRoutes({ operator }: RouteParts) {
  const checkPassword = accounts.createPasswordCheck();
  const signIn = accounts.createSignIn(operator, checkPassword);
  return {
    signIn: async (from, input) => withCookie(from, await signIn(from, input)),
    getSession: (from) => accounts.getSession(operator, from),
    signOut: async (from) => {
      const result = await accounts.signOut(operator, from);
      return result instanceof Refusal
        ? result
        : new HeadedReply(result, { "set-cookie": NO_SESSION_COOKIES });
    },
    listSessions: (from, input) => accounts.listSessions(operator, from, input),
    revokeSession: (from, input) => accounts.revokeSession(operator, from, input),
    changePassword: (from, input) => accounts.changePassword({ ...operator, checkPassword }, from, input),

    lookAtInvitation: (_, input) => accounts.lookAtInvitation(operator, input),
    acceptInvitation: async (from, input) =>
      withCookie(from, await accounts.acceptInvitation(operator, from, input)),
    joinWithAccount: (from, input) => accounts.joinWithAccount(operator, from, input),
    createInvitation: (from, input) => accounts.createInvitation(operator, from, input),
    listInvitations: (_, input) => accounts.listInvitations(operator, input),
    revokeInvitation: (from, input) => accounts.revokeInvitation(operator, from, input),
    listAccounts: (_, input) => accounts.listAccounts(operator, input),
    setAccountRoles: (from, input) => accounts.setAccountRoles(operator, from, input),
    deleteAccount: (from, input) => accounts.deleteAccount(operator, from, input),
    setMemberRole: (from, input) => accounts.setMemberRole(operator, from, input),
    removeMember: (from, input) => accounts.removeMember(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

/** The token goes into the cookie, where no script reads it, and nowhere else. */
function withCookie(
  { isSecure }: BrowserCaller,
  result: accounts.SignedIn | Refusal,
): Session | HeadedReply | Refusal {
  if (result instanceof Refusal) return result;
  const { token, session } = result;
  const cookie = sessionCookie(token, new Date(session.expire_time), isSecure);
  return new HeadedReply(session, { "set-cookie": cookie });
}
