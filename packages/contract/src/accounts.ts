import { z } from "zod";
import { email, invitationToken, newPassword, password } from "./account-fields.ts";
import { Role } from "./scopes.ts";
import { identifier, pageFields, pageOf, timestamp, timestampInput, words } from "./values.ts";

// People who sign in. The scopes of their roles say what they may do (scopes.ts).

export const AccountRole = z
  .strictObject({
    role: Role,
    agent_id: identifier.nullable().describe("The agent it is for; null: the whole installation"),
  })
  .meta({ id: "AccountRole" });
export type AccountRole = z.output<typeof AccountRole>;

export const SignInRequest = z.strictObject({ email, password }).meta({ id: "SignInRequest" });
export type SignInRequest = z.output<typeof SignInRequest>;

const person = { account_id: identifier, email: z.string(), name: z.string() };

export const Session = z
  .object({
    session_id: identifier,
    account: z.object(person),
    roles: z.array(AccountRole),
    expire_time: timestamp,
    credentials_change_time: timestamp
      .nullable()
      .describe(
        "When password, passkeys, one-time codes or identity of the account last changed; null: never",
      ),
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof Session>;

export const SessionPath = z.strictObject({ session_id: identifier });
export const ListedSession = z
  .object({
    session_id: identifier,
    is_current: z.boolean().describe("The session that makes this request"),
    address: z.string().describe("The client's address at sign-in"),
    user_agent: z.string(),
    create_time: timestamp,
    last_used_time: timestamp,
    expire_time: timestamp,
  })
  .meta({ id: "ListedSession" });
export const SessionPage = pageOf(ListedSession).meta({ id: "SessionPage" });
export type SessionPage = z.output<typeof SessionPage>;

export const ChangePasswordRequest = z
  .strictObject({ current_password: password, password: newPassword })
  .meta({ id: "ChangePasswordRequest" });
export type ChangePasswordRequest = z.output<typeof ChangePasswordRequest>;

export const InvitationToken = z.strictObject({ token: invitationToken }).meta({ id: "InvitationToken" });

export const InvitationOffer = z
  .object({
    email: z.string().nullable().describe("Only this address may accept it; null: anyone with the link"),
    role: Role,
    agent_id: identifier.nullable(),
    agent_name: z.string().nullable(),
    has_account: z
      .boolean()
      .describe("There is an account with this email: sign in with it, then accept the invitation"),
    expire_time: timestamp,
  })
  .meta({ id: "InvitationOffer" });
export type InvitationOffer = z.output<typeof InvitationOffer>;

export const AcceptInvitationRequest = z
  .strictObject({ token: invitationToken, email, name: words(100), password: newPassword })
  .meta({ id: "AcceptInvitationRequest" });
export type AcceptInvitationRequest = z.output<typeof AcceptInvitationRequest>;

export const CreateInvitationRequest = z
  .strictObject({
    email: email.nullish().describe("Only this address may accept it; null or omitted: anyone with the link"),
    role: Role,
    agent_id: identifier
      .nullish()
      .describe("The agent the role is for; null or omitted: the whole installation"),
    expire_time: timestampInput.nullish().describe("When the link expires; null or omitted: in seven days"),
  })
  .meta({ id: "CreateInvitationRequest" });
export type CreateInvitationRequest = z.output<typeof CreateInvitationRequest>;

const invitationFields = {
  invitation_id: identifier,
  email: z.string().nullable(),
  role: Role,
  agent_id: identifier.nullable(),
  create_time: timestamp,
  expire_time: timestamp,
};

export const CreatedInvitation = z
  .object({
    ...invitationFields,
    invitation_token: z.string().describe("Shown once; only its hash is stored"),
    path: z.string().describe("Path of the link: append it to the service's address"),
  })
  .meta({ id: "CreatedInvitation" });
export type CreatedInvitation = z.output<typeof CreatedInvitation>;

export const InvitationPath = z.strictObject({ invitation_id: identifier });
export const Invitation = z
  .object({
    ...invitationFields,
    state: z.enum(["open", "accepted", "withdrawn", "expired"]),
  })
  .meta({ id: "Invitation" });
export const InvitationPage = pageOf(Invitation).meta({ id: "InvitationPage" });
export type InvitationPage = z.output<typeof InvitationPage>;

export const MemberQuery = z.strictObject({
  agent_id: identifier
    .optional()
    .describe("Only for this agent; omitted: for the installation and all agents"),
  ...pageFields,
});

export const AccountPath = z.strictObject({ account_id: identifier });
export const Account = z
  .object({
    ...person,
    roles: z.array(AccountRole),
    has_second_factor: z.boolean().describe("Signing in with the password also asks for a one-time code"),
    passkeys: z.int().min(0).describe("How many passkeys the person signs in with"),
    create_time: timestamp,
    last_used_time: timestamp.nullable().describe("When the person last made a request"),
  })
  .meta({ id: "Account" });
export type Account = z.output<typeof Account>;
export const AccountPage = pageOf(Account).meta({ id: "AccountPage" });
export type AccountPage = z.output<typeof AccountPage>;

const ROLES_MAX = 1_000;
const NAMED_TWICE = "must name each role once";

function isEachOnce(names: string[]): boolean {
  return new Set(names).size === names.length;
}

export const MemberPath = z.strictObject({ agent_id: identifier, account_id: identifier });
export const SetMemberRolesRequest = z
  .strictObject({ roles: z.array(Role).min(1).refine(isEachOnce, NAMED_TWICE) })
  .meta({ id: "SetMemberRolesRequest" });
export type SetMemberRolesRequest = z.output<typeof SetMemberRolesRequest>;

export const SetAccountRolesRequest = z
  .strictObject({
    roles: z
      .array(AccountRole)
      .max(ROLES_MAX)
      .refine((roles) => isEachOnce(roles.map(({ role, agent_id }) => `${role} ${agent_id}`)), NAMED_TWICE)
      .describe("All roles of the account: roles that are not listed are removed"),
  })
  .meta({ id: "SetAccountRolesRequest" });
export type SetAccountRolesRequest = z.output<typeof SetAccountRolesRequest>;
