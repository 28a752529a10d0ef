import { ROLES, type AccountRole, type ReplyOf } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";
import { durationMs } from "../times.ts";

const ACTIONS = [
  "list",
  "invite",
  "invitations",
  "withdraw",
  "set",
  "reset-password",
  "reset-second-factor",
  "delete",
] as const;

export const accountsCommand: Command = {
  name: "accounts",
  summary: "Manage people who sign in: list, invite, change roles or delete",
  about: [
    `A person has roles for the whole installation or for single agents, and what they allow adds up: ${ROLES.join(", ")}.`,
    "invite prints a link. It works once, for seven days by default, and creates the person's account or adds the role to it.",
    "reset-password prints a link with which somebody sets a new password. It works once, for an hour.",
    "reset-second-factor turns off the one-time codes and removes the passkeys of somebody who lost them, and signs them out everywhere.",
    "set replaces all roles of an account. Requires a token with the scope manage; listing only requires read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "ID", summary: "Id of the account to change or delete, or of the invitation to withdraw" },
  ],
  options: [
    {
      name: "role",
      value: "ROLE",
      summary: `One of ${ROLES.join(", ")}; ROLE:AGENT for one agent only. set takes several`,
      many: true,
    },
    { name: "email", value: "EMAIL", summary: "invite: only this address may use the link" },
    { name: "expires", value: "IN", summary: "invite: how long the link works, such as 1d" },
    { name: "yes", summary: "Confirm the deletion" },
  ],
  examples: [
    "signalbox accounts invite --role owner --email ann@example.com",
    "signalbox accounts invite --role developer:AGENT",
    "signalbox accounts set ACCOUNT --role developer:AGENT --role viewer:OTHER_AGENT",
    "signalbox accounts reset-password ACCOUNT",
    "signalbox accounts reset-second-factor ACCOUNT",
    "signalbox accounts delete ACCOUNT --yes",
  ],
  async run(context) {
    const [action, id] = context.arguments;
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "invite":
        return invite(context);
      case "invitations":
        return listInvitations(context);
      case "withdraw":
        return withdraw(context, required(id, "the invitation's ID"));
      case "set":
        return setRoles(context, required(id, "the account's ID"));
      case "reset-password":
        return resetPassword(context, required(id, "the account's ID"));
      case "reset-second-factor":
        return resetSecondFactor(context, required(id, "the account's ID"));
      case "delete":
        return remove(context, required(id, "the account's ID"));
      default:
        return list(context);
    }
  },
};

function rolesOf({ options }: CommandContext): AccountRole[] {
  return options.texts("role").map((text) => {
    const [role, agent_id = null] = text.split(":");
    return { role: required(oneOf(role, ROLES, "--role"), "--role"), agent_id } as AccountRole;
  });
}

function roleText({ role, agent_id }: AccountRole): string {
  return agent_id === null ? role : `${role}:${agent_id}`;
}

async function list({ client, output }: CommandContext): Promise<ExitCode> {
  const accounts: ReplyOf<"listAccounts">["list"] = [];
  let cursor: string | null = null;
  do {
    const page: ReplyOf<"listAccounts"> = await client().accounts.list({
      limit: 100,
      ...(cursor !== null && { cursor }),
    });
    accounts.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
  output.result({ list: accounts }, () => {
    if (accounts.length === 0)
      return output.line(
        "No accounts yet. Invite the first owner with: signalbox accounts invite --role owner",
      );
    const rows = accounts.map(({ account_id, email, name, roles, has_second_factor, last_used_time }) => [
      name,
      email,
      roles.map(roleText).join(" ") || "none",
      has_second_factor ? "on" : "off",
      timeText(last_used_time) || "never",
      account_id,
    ]);
    output.table(["name", "email", "roles", "second factor", "last used (UTC)", "account_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function invite(context: CommandContext): Promise<ExitCode> {
  const { client, options, output, settings } = context;
  const [wanted, ...others] = rolesOf(context);
  if (wanted === undefined || others.length > 0)
    throw new UsageError(`Give one --role: ${ROLES.join(", ")}, or ROLE:AGENT for one agent`);
  const email = options.text("email");
  const expires = options.text("expires");
  const invitation = await client().invitations.create({
    ...wanted,
    ...(email !== undefined && { email }),
    ...(expires !== undefined && { expire_time: Date.now() + durationMs(expires, "--expires") }),
  });
  output.result(invitation, () => {
    output.line(`${settings.url}${invitation.path}`);
    output.note(
      `Send this link to the person yourself. It is not shown again, works once, and ends at ${timeText(invitation.expire_time)} UTC.`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function listInvitations({ client, output }: CommandContext): Promise<ExitCode> {
  const page = await client().invitations.list({ limit: 100 });
  output.result(page, () => {
    if (page.list.length === 0) return output.line("No invitations yet.");
    const rows = page.list.map((invitation) => [
      invitation.email ?? "anyone with the link",
      roleText(invitation),
      invitation.state,
      timeText(invitation.expire_time),
      invitation.invitation_id,
    ]);
    output.table(["for", "role", "state", "expires (UTC)", "invitation_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function withdraw({ client, output }: CommandContext, invitation_id: string): Promise<ExitCode> {
  const reply = await client().invitations.revoke({ invitation_id });
  output.result(reply, () => output.line("Withdrew the invitation. Its link no longer works."));
  return EXIT_CODES.ok.code;
}

async function setRoles(context: CommandContext, account_id: string): Promise<ExitCode> {
  const roles = rolesOf(context);
  if (roles.length === 0) throw new UsageError("Missing --role. To take everything away, delete the account");
  const account = await context.client().accounts.setRoles({ account_id, roles });
  context.output.result(account, () =>
    context.output.line(`${account.name} now has: ${account.roles.map(roleText).join(" ")}`),
  );
  return EXIT_CODES.ok.code;
}

async function resetPassword(
  { client, output, settings }: CommandContext,
  account_id: string,
): Promise<ExitCode> {
  const reset = await client().passwordResets.create({ account_id });
  output.result(reset, () => {
    output.line(`${settings.url}${reset.path}`);
    output.note(
      `Send this link to the person yourself. It is not shown again, works once, and ends at ${timeText(reset.expire_time)} UTC.`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function resetSecondFactor({ client, output }: CommandContext, account_id: string): Promise<ExitCode> {
  const reply = await client().accounts.resetSecondFactor({ account_id });
  output.result(reply, () =>
    output.line("Turned off the one-time codes. The person signs in with the password and can enrol again."),
  );
  return EXIT_CODES.ok.code;
}

async function remove({ client, options, output }: CommandContext, account_id: string): Promise<ExitCode> {
  if (!options.isOn("yes"))
    throw new UsageError("This permanently deletes the account. Add --yes to confirm");
  const reply = await client().accounts.delete({ account_id });
  output.result(reply, () =>
    output.line("Deleted the account. Its sessions end on every node within five seconds."),
  );
  return EXIT_CODES.ok.code;
}
