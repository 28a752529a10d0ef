export { acceptInvitation, lookAtInvitation } from "./accept-invitation.ts";
export { readAnswerers } from "./answerers.ts";
export { deleteAccount, listAccounts, setAccountRoles } from "./accounts.ts";
export { createGuessLimit } from "./guess-limit.ts";
export {
  agentOfInvitation,
  createInvitation,
  inviteFirstOwner,
  listInvitations,
  revokeInvitation,
} from "./invitations.ts";
export { joinWithAccount } from "./join-with-account.ts";
export { removeMember, setMemberRoles } from "./members.ts";
export { openOidcProvider } from "./oidc-provider.ts";
export { finishOidcSignIn, startOidcSignIn } from "./oidc-sign-in.ts";
export { relyingPartyOf } from "./passkey-protocol.ts";
export { finishPasskeySignIn, startPasskeySignIn } from "./passkey-sign-in.ts";
export { createPasskey, deletePasskey, listPasskeys, renamePasskey, startPasskey } from "./passkeys.ts";
export { createPasswordReset, lookAtPasswordReset, resetPassword } from "./password-reset.ts";
export { confirmSignIn, type PendingSignIn } from "./pending-sign-in.ts";
export { resetSecondFactor } from "./reset-second-factor.ts";
export { resealTotp, sampleTotpSeals } from "./second-factor.ts";
export { createSessionDirectory } from "./session-directory.ts";
export { getSession, listSessions, revokeSession, signOut, type SignedIn } from "./sessions.ts";
export { createPasswordCheck } from "./password-check.ts";
export { changePassword, createSignIn } from "./sign-in.ts";
export { confirmTotp, disableTotp, getSecondFactor, startTotp } from "./totp-enrolment.ts";
