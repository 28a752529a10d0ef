import type { RequestOf, RouteName } from "@signalbox/contract";
import type { SampleIds } from "./sample-ids.ts";

/** One request of each route of accounts, sign-in and its factors. */
export const accountSamples = {
  signIn: () => ({ email: "ann@example.org", password: "correct horse battery" }),
  getSession: () => ({}),
  signOut: () => ({}),
  listSessions: () => ({}),
  revokeSession: ({ sessionId }) => ({ session_id: sessionId }),
  changePassword: () => ({ current_password: "correct horse battery", password: "correct horse battery 2" }),
  lookAtInvitation: () => ({ token: `sbi_${"0".repeat(40)}` }),
  acceptInvitation: () => ({
    token: `sbi_${"0".repeat(40)}`,
    email: "ann@example.org",
    name: "Ann",
    password: "correct horse battery",
  }),
  joinWithAccount: () => ({ token: `sbi_${"0".repeat(40)}` }),
  createInvitation: ({ agentId }) => ({ role: "viewer", agent_id: agentId }),
  listInvitations: () => ({}),
  revokeInvitation: ({ invitationId }) => ({ invitation_id: invitationId }),
  listAccounts: () => ({}),
  setAccountRoles: ({ accountId, agentId }) => ({
    account_id: accountId,
    roles: [{ role: "viewer", agent_id: agentId }],
  }),
  deleteAccount: ({ accountId }) => ({ account_id: accountId }),
  setMemberRoles: ({ accountId, agentId }) => ({
    agent_id: agentId,
    account_id: accountId,
    roles: ["viewer"],
  }),
  removeMember: ({ accountId, agentId }) => ({ agent_id: agentId, account_id: accountId }),

  confirmSignIn: () => ({ one_time_code: "000000" }),
  getSecondFactor: () => ({}),
  startTotp: () => ({ password: "correct horse battery" }),
  confirmTotp: () => ({ one_time_code: "000000" }),
  disableTotp: () => ({ password: "correct horse battery", one_time_code: "000000" }),
  resetSecondFactor: ({ accountId }) => ({ account_id: accountId }),

  listPasskeys: () => ({}),
  startPasskey: () => ({ password: "correct horse battery" }),
  createPasskey: () => ({ name: "Phone", credential: {} }),
  renamePasskey: ({ sessionId }) => ({ passkey_id: sessionId, name: "Phone" }),
  deletePasskey: ({ sessionId }) => ({ passkey_id: sessionId }),
  startPasskeySignIn: () => ({}),
  finishPasskeySignIn: () => ({ credential: {} }),

  createPasswordReset: ({ accountId }) => ({ account_id: accountId }),
  lookAtPasswordReset: () => ({ token: `sbr_${"0".repeat(40)}` }),
  resetPassword: () => ({ token: `sbr_${"0".repeat(40)}`, password: "correct horse battery" }),
} satisfies { [Name in RouteName]?: (ids: SampleIds) => RequestOf<Name> };
