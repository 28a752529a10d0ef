import * as accounts from "../accounts.ts";
import { SignInReply } from "../second-factor.ts";
import { Acknowledged, PageQuery } from "../values.ts";
import { AGENT, MANAGE, READ, type Route } from "./route.ts";

const session = "/admin/v1/session";
const sessions = "/admin/v1/sessions";
const invitations = "/admin/v1/invitations";
const members = "/admin/v1/accounts";
const memberOfAgent = `${AGENT}/members/:account_id` as const;

export const OPERATOR = { auth: "operator", spec: "ours" } as const;
/** About the account that calls. */
export const SELF = { ...OPERATOR, scopes: [], about: "self" } as const;
export const BROWSER = { auth: "browser", spec: "ours" } as const;

/** Accounts of people, their sessions and invitations. */
export const accountRoutes = {
  signIn: {
    method: "POST",
    path: session,
    ...BROWSER,
    summary: "Sign in with email and password; the session is an HttpOnly cookie",
    body: accounts.SignInRequest,
    reply: SignInReply,
    failures: ["developerAuth", "missingScope", "tooManyRequests"],
  },
  getSession: {
    method: "GET",
    path: session,
    ...SELF,
    summary: "Read who is signed in, and their roles",
    reply: accounts.Session,
    failures: ["missingScope"],
  },
  signOut: {
    method: "DELETE",
    path: session,
    ...SELF,
    summary: "Sign out",
    reply: Acknowledged,
    failures: ["missingScope"],
  },
  listSessions: {
    method: "GET",
    path: sessions,
    ...SELF,
    summary: "List your sessions",
    query: PageQuery,
    reply: accounts.SessionPage,
    failures: ["missingScope"],
  },
  revokeSession: {
    method: "DELETE",
    path: `${sessions}/:session_id`,
    ...SELF,
    summary: "End one of your sessions",
    params: accounts.SessionPath,
    reply: Acknowledged,
    failures: ["missingScope"],
  },
  changePassword: {
    method: "POST",
    path: "/admin/v1/account/password",
    ...SELF,
    summary: "Change your password and end your other sessions",
    body: accounts.ChangePasswordRequest,
    reply: Acknowledged,
    failures: ["wrongPassword", "missingScope"],
  },
  lookAtInvitation: {
    method: "POST",
    path: `${invitations}/look`,
    ...BROWSER,
    summary: "Read what an invitation offers",
    body: accounts.InvitationToken,
    reply: accounts.InvitationOffer,
    failures: ["notFound", "missingScope", "tooManyRequests"],
  },
  acceptInvitation: {
    method: "POST",
    path: `${invitations}/accept`,
    ...BROWSER,
    summary: "Accept an invitation: create an account and sign in",
    body: accounts.AcceptInvitationRequest,
    reply: accounts.Session,
    failures: ["notFound", "stateConflict", "missingScope", "tooManyRequests"],
  },
  joinWithAccount: {
    method: "POST",
    path: "/admin/v1/account/invitations",
    ...SELF,
    summary: "Accept an invitation with the account you are signed in with: its role is added to yours",
    body: accounts.InvitationToken,
    reply: accounts.Session,
    failures: ["notFound", "stateConflict", "missingScope"],
  },
  createInvitation: {
    method: "POST",
    path: invitations,
    ...OPERATOR,
    scopes: MANAGE,
    summary: "Invite somebody; the link is shown once",
    body: accounts.CreateInvitationRequest,
    reply: accounts.CreatedInvitation,
    failures: ["notFound", "agentDeleted"],
  },
  listInvitations: {
    method: "GET",
    path: invitations,
    ...OPERATOR,
    scopes: READ,
    summary: "List invitations, newest first",
    query: accounts.MemberQuery,
    reply: accounts.InvitationPage,
  },
  revokeInvitation: {
    method: "DELETE",
    path: `${invitations}/:invitation_id`,
    ...OPERATOR,
    scopes: MANAGE,
    summary: "Withdraw an invitation",
    params: accounts.InvitationPath,
    reply: Acknowledged,
  },
  listAccounts: {
    method: "GET",
    path: members,
    ...OPERATOR,
    scopes: READ,
    summary: "List accounts and their roles",
    query: accounts.MemberQuery,
    reply: accounts.AccountPage,
  },
  setAccountRoles: {
    method: "PUT",
    path: `${members}/:account_id/roles`,
    ...OPERATOR,
    scopes: MANAGE,
    summary: "Replace the roles of an account",
    params: accounts.AccountPath,
    body: accounts.SetAccountRolesRequest,
    reply: accounts.Account,
  },
  deleteAccount: {
    method: "DELETE",
    path: `${members}/:account_id`,
    ...OPERATOR,
    scopes: MANAGE,
    summary: "Delete an account and end its sessions",
    params: accounts.AccountPath,
    reply: Acknowledged,
    failures: ["stateConflict"],
  },
  setMemberRole: {
    method: "PUT",
    path: memberOfAgent,
    ...OPERATOR,
    scopes: MANAGE,
    summary: "Change the role that an account has for an agent",
    params: accounts.MemberPath,
    body: accounts.SetMemberRoleRequest,
    reply: accounts.Account,
  },
  removeMember: {
    method: "DELETE",
    path: memberOfAgent,
    ...OPERATOR,
    scopes: MANAGE,
    summary: "Remove an account from an agent; the account stays",
    params: accounts.MemberPath,
    reply: Acknowledged,
    failures: ["agentDeleted"],
  },
} as const satisfies Record<string, Route>;
