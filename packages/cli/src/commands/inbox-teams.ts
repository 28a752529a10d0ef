import type { InboxTeam } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";

const TEAM_ACTIONS = ["list", "create", "update", "delete"] as const;

/** Teams of the inbox: who is in which, by the names people know. */
export async function runTeams(
  context: CommandContext,
  agent_id: string,
  [action, named]: readonly (string | undefined)[],
): Promise<ExitCode> {
  const { client, options, output } = context;
  switch (oneOf(action, TEAM_ACTIONS, "ACTION of teams")) {
    case undefined:
    case "list": {
      const teams = await client().inboxTeams.list({ agent_id });
      output.result(teams, () =>
        output.table(
          ["team", "waiting", "available", "members", "team_id"],
          teams.list.map(({ name, waiting_count, available_count, members, team_id }) => [
            name,
            String(waiting_count),
            String(available_count),
            members.map((member) => member.name).join(", "),
            team_id,
          ]),
        ),
      );
      break;
    }
    case "create": {
      const name = required(options.text("name") ?? named, "--name");
      const account_ids = await accountsOf(client(), agent_id, options.texts("member"));
      const team = await client().inboxTeams.create({ agent_id, name, account_ids });
      output.result(team, () => output.line(team.team_id));
      break;
    }
    case "update": {
      const team = await findTeam(client(), agent_id, required(named, "the team's name or id"));
      const members = options.texts("member");
      const account_ids =
        members.length === 0
          ? team.members.flatMap(({ account_id }) => account_id ?? [])
          : await accountsOf(client(), agent_id, members);
      const { team_id } = team;
      const name = options.text("name") ?? team.name;
      const saved = await client().inboxTeams.update({ agent_id, team_id, name, account_ids });
      output.result(saved, () => output.line(`${saved.name} has ${saved.members.length} members.`));
      break;
    }
    case "delete": {
      const { team_id, name } = await findTeam(client(), agent_id, required(named, "the team's name or id"));
      const reply = await client().inboxTeams.delete({ agent_id, team_id });
      output.result(reply, () => output.line(`${name} is deleted. Its chats wait for everybody.`));
      break;
    }
  }
  return EXIT_CODES.ok.code;
}

export async function transferTalk(
  { client, options, output }: CommandContext,
  talk: { agent_id: string; talk_id: string },
): Promise<ExitCode> {
  const { agent_id } = talk;
  const [person, team] = [options.text("to"), options.text("team")];
  if (person !== undefined && team !== undefined) throw new UsageError("Give --to or --team, not both");
  if (team !== undefined) {
    const { team_id, name } = await findTeam(client(), agent_id, team);
    const moved = await client().talks.transfer({ ...talk, team_id });
    output.result(moved, () => output.line(`The chat waits for ${name}.`));
    return EXIT_CODES.ok.code;
  }
  const [account_id = null] = person === undefined ? [] : await accountsOf(client(), agent_id, [person]);
  const moved = await client().talks.transfer({ ...talk, account_id });
  output.result(moved, () =>
    output.line(
      moved.holder === null ? "The chat is back in the queue." : `The chat is with ${moved.holder.name}.`,
    ),
  );
  return EXIT_CODES.ok.code;
}

/** By name, however it is written, or by id. */
export async function findTeam(client: Client, agent_id: string, named: string): Promise<InboxTeam> {
  const { list } = await client.inboxTeams.list({ agent_id });
  const wanted = named.toLowerCase();
  const team = list.find(({ team_id, name }) => team_id === named || name.toLowerCase() === wanted);
  if (team === undefined) throw new UsageError(`There is no team ${named}. signalbox inbox teams lists them`);
  return team;
}

/** By email address or id, as `signalbox accounts` lists them. */
async function accountsOf(client: Client, agent_id: string, named: readonly string[]): Promise<string[]> {
  if (named.length === 0) return [];
  const { list } = await client.inbox.listMembers({ agent_id });
  return named.map((one) => {
    const wanted = one.toLowerCase();
    const person = list.find(({ account_id, email }) => account_id === one || email.toLowerCase() === wanted);
    if (person === undefined) throw new UsageError(`${one} may not answer for this agent`);
    return person.account_id;
  });
}
