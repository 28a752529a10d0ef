import type { Session, SignInReply } from "@signalbox/contract";
import * as accounts from "../accounts/index.ts";
import {
  deviceCookie,
  NO_SESSION_COOKIES,
  NO_SIGN_IN_COOKIES,
  sessionCookie,
  signInCookie,
  type RouteHandlers,
} from "../http/index.ts";
import { HeadedReply, Refusal, type BrowserCaller } from "../platform/index.ts";
import type { RouteParts } from "./parts.ts";

export function accountRoutes({ operator, config, outbound, log }: RouteParts) {
  const { oidc } = config.signIn;
  const provider = oidc === undefined ? undefined : accounts.openOidcProvider(oidc, outbound.signIn);
  const signingIn = { ...operator, log, provider };
  const limit = accounts.createGuessLimit({ db: operator.db, log });
  const checkPassword = accounts.createPasswordCheck(limit);
  const signIn = accounts.createSignIn(operator, checkPassword);
  const checking = { ...operator, limit, checkPassword };
  const relyingParty = accounts.relyingPartyOf(config.http.publicUrl);
  const passkeys = { ...checking, log, relyingParty };
  return {
    signIn: async (from, input) => withSignIn(from, await signIn(from, input)),
    confirmSignIn: async (from, input) =>
      withCookie(from, await accounts.confirmSignIn(checking, from, input), NO_SIGN_IN_COOKIES),
    getSignInWays: () =>
      Promise.resolve({ oidc_label: oidc?.label ?? null, passkeys: relyingParty !== undefined }),
    startOidcSignIn: async (from) => {
      const result = await accounts.startOidcSignIn(signingIn, from);
      if (result instanceof Refusal) return result;
      const cookie = signInCookie(result.token, result.expiresAt, from.isSecure);
      return new HeadedReply(result.reply, { "set-cookie": cookie });
    },
    finishOidcSignIn: async (from, input) =>
      withSignIn(
        from,
        await limit.judgeLink(from, () => accounts.finishOidcSignIn(signingIn, from, input)),
        NO_SIGN_IN_COOKIES,
      ),
    getSession: (from) => accounts.getSession(operator, from),
    signOut: async (from) => {
      const result = await accounts.signOut(operator, from);
      return result instanceof Refusal
        ? result
        : new HeadedReply(result, { "set-cookie": NO_SESSION_COOKIES });
    },
    listSessions: (from, input) => accounts.listSessions(operator, from, input),
    revokeSession: (from, input) => accounts.revokeSession(operator, from, input),
    changePassword: (from, input) => accounts.changePassword(checking, from, input),

    getSecondFactor: (from) => accounts.getSecondFactor(operator, from),
    startTotp: (from, input) => accounts.startTotp(checking, from, input),
    confirmTotp: (from, input) => accounts.confirmTotp(operator, from, input),
    disableTotp: (from, input) => accounts.disableTotp(checking, from, input),
    resetSecondFactor: (from, input) => accounts.resetSecondFactor(operator, from, input),

    listPasskeys: (from) => accounts.listPasskeys(operator, from),
    startPasskey: (from, input) => accounts.startPasskey(passkeys, from, input),
    createPasskey: (from, input) => accounts.createPasskey(passkeys, from, input),
    renamePasskey: (from, input) => accounts.renamePasskey(operator, from, input),
    deletePasskey: (from, input) => accounts.deletePasskey(operator, from, input),
    startPasskeySignIn: async (from) => {
      const result = await accounts.startPasskeySignIn(passkeys);
      if (result instanceof Refusal) return result;
      const cookie = signInCookie(result.token, result.expiresAt, from.isSecure);
      return new HeadedReply(result.reply, { "set-cookie": cookie });
    },
    finishPasskeySignIn: async (from, input) =>
      withCookie(
        from,
        await limit.judgeLink(from, () => accounts.finishPasskeySignIn(passkeys, from, input)),
        NO_SIGN_IN_COOKIES,
      ),

    lookAtInvitation: (from, input) =>
      limit.judgeLink(from, () => accounts.lookAtInvitation(operator, input)),
    acceptInvitation: async (from, input) =>
      withCookie(from, await limit.judgeLink(from, () => accounts.acceptInvitation(operator, from, input))),
    joinWithAccount: (from, input) => accounts.joinWithAccount(operator, from, input),
    createInvitation: (from, input) => accounts.createInvitation(operator, from, input),
    listInvitations: (_, input) => accounts.listInvitations(operator, input),
    revokeInvitation: (from, input) => accounts.revokeInvitation(operator, from, input),
    listAccounts: (_, input) => accounts.listAccounts(operator, input),
    setAccountRoles: (from, input) => accounts.setAccountRoles(operator, from, input),
    deleteAccount: (from, input) => accounts.deleteAccount(operator, from, input),
    createPasswordReset: (from, input) => accounts.createPasswordReset(operator, from, input),
    lookAtPasswordReset: (from, input) =>
      limit.judgeLink(from, () => accounts.lookAtPasswordReset(operator, input)),
    resetPassword: (from, input) =>
      limit.judgeLink(from, () => accounts.resetPassword(operator, from, input)),
    setMemberRoles: (from, input) => accounts.setMemberRoles(operator, from, input),
    removeMember: (from, input) => accounts.removeMember(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

/** The token goes into the cookie, where no script reads it, and nowhere else. */
function withCookie(
  { isSecure }: BrowserCaller,
  result: accounts.SignedIn | Refusal,
  more: readonly string[] = [],
): Session | HeadedReply | Refusal {
  if (result instanceof Refusal) return result;
  const { token, session, device } = result;
  const cookies = [
    deviceCookie(device.token, device.expiresAt, isSecure),
    sessionCookie(token, new Date(session.expire_time), isSecure),
  ];
  return new HeadedReply(session, { "set-cookie": [...more, ...cookies] });
}

/** A sign-in that still owes a code gets another cookie, which opens nothing but the second step. */
function withSignIn(
  from: BrowserCaller,
  result: accounts.SignedIn | accounts.PendingSignIn | Refusal,
  more: readonly string[] = [],
): SignInReply | HeadedReply | Refusal {
  if (result instanceof Refusal || "session" in result) return withCookie(from, result, more);
  const cookie = signInCookie(result.token, new Date(result.needed.expire_time), from.isSecure);
  return new HeadedReply(result.needed, { "set-cookie": cookie });
}
