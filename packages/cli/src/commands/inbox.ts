import { attachmentAt, InboxView } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";
import { findTeam, runTeams, transferTalk } from "./inbox-teams.ts";

const ACTIONS = [
  "list",
  "enable",
  "disable",
  "show",
  "take",
  "reply",
  "note",
  "transfer",
  "close",
  "teams",
] as const;

export const inboxCommand: Command = {
  name: "inbox",
  summary: "Answer users in the inbox, the desk of the console",
  about: [
    "enable switches the inbox on for an agent, disable off. list shows the chats of a view. take makes you the one who answers, reply and close do what they say, and note writes something for the team alone. transfer hands a chat to a person (--to) or a team (--team), and without either back to the queue.",
    "teams lists the teams of the inbox. teams create, teams update TEAM and teams delete TEAM change them; --member names everybody in the team.",
    "Requires a token with the scope inbox or manage; enable and disable require settings or manage.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "TALK", summary: "Id of the chat. teams: list, create, update or delete" },
    { name: "TEAM", summary: "teams update, teams delete: the team's name or id" },
  ],
  options: [
    AGENT_OPTION,
    { name: "view", value: "VIEW", summary: "list: waiting by default", choices: InboxView.options },
    { name: "attach", value: "URL", summary: "reply: URL of a file to send" },
    { name: "to", value: "PERSON", summary: "transfer: email address or account id" },
    { name: "team", value: "TEAM", summary: "transfer, list: the team's name or id" },
    { name: "name", value: "NAME", summary: "teams create, teams update: the team's name" },
    {
      name: "member",
      value: "PERSON",
      many: true,
      summary: "teams create, teams update: a member, by email address or account id",
    },
    { name: "text", value: "TEXT", summary: "reply, note: what to write; list: words to search for" },
  ],
  examples: [
    "signalbox inbox enable",
    "signalbox inbox list --view mine",
    'signalbox inbox reply TALK --text "Of course. Which order is it?"',
    "signalbox inbox teams create --name Billing --member ada@shop.example --member bo@shop.example",
    "signalbox inbox transfer TALK --team Billing",
  ],
  async run(context) {
    const [action, id, team] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    const chosen = oneOf(action, ACTIONS, "ACTION");
    switch (chosen) {
      case undefined:
      case "list":
        return list(context, agentId);
      case "enable":
      case "disable":
        return setEnabled(context, agentId, chosen === "enable");
      case "teams":
        return runTeams(context, agentId, [id, team]);
      case "transfer":
        return transferTalk(context, { agent_id: agentId, talk_id: required(id, "the chat's id") });
      case "show":
      case "take":
      case "reply":
      case "note":
      case "close":
        return act(context, chosen, { agent_id: agentId, talk_id: required(id, "the chat's id") });
    }
  },
};

async function list({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const view = oneOf(options.text("view"), InboxView.options, "--view") ?? "waiting";
  const [text, team] = [options.text("text"), options.text("team")];
  const page = await client().talks.search({
    agent_id,
    view,
    limit: 100,
    ...(text !== undefined && { text }),
    ...(team !== undefined && { team_id: (await findTeam(client(), agent_id, team)).team_id }),
  });
  output.result(page, () =>
    output.table(
      ["user", "user said", "team", "holder", "since (UTC)", "talk_id"],
      page.list.map(({ user, last_user_message, team, holder, request_time, talk_id }) => [
        user.user_id ?? user.email ?? user.anonymous_id ?? "",
        last_user_message?.text ?? "",
        team?.name ?? "",
        holder?.name ?? "",
        timeText(request_time),
        talk_id,
      ]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function setEnabled(
  { client, output }: CommandContext,
  agent_id: string,
  isEnabled: boolean,
): Promise<ExitCode> {
  if (isEnabled) {
    const { business_hours, first_reply, name, assignment } = await client().inbox.get({ agent_id });
    const inbox = await client().inbox.set({ agent_id, business_hours, first_reply, name, assignment });
    output.result(inbox, () => output.line("The inbox is on. Chats appear in the console."));
  } else {
    const reply = await client().inbox.delete({ agent_id });
    output.result(reply, () => output.line("The inbox is off. Its open chats end."));
  }
  return EXIT_CODES.ok.code;
}

async function act(
  { client, options, output }: CommandContext,
  action: "show" | "take" | "reply" | "note" | "close",
  talk: { agent_id: string; talk_id: string },
): Promise<ExitCode> {
  const text = () => required(options.text("text"), "--text");
  switch (action) {
    case "show": {
      const shown = await client().talks.get({ ...talk, limit: 100 });
      output.result(shown, () => {
        for (const { sender, author, text, time } of shown.messages)
          output.line(`${timeText(time)}  ${author?.name ?? sender}: ${text}`);
        for (const note of shown.notes)
          output.line(`${timeText(note.time)}  note by ${note.author.name}: ${note.text}`);
      });
      break;
    }
    case "take":
      output.result(await client().talks.take(talk), () => output.line("The chat is yours."));
      break;
    case "reply": {
      const url = options.text("attach");
      const said =
        url === undefined
          ? { text: text() }
          : { text: options.text("text"), attachments: [attachmentAt(url)] };
      output.result(await client().talks.reply({ ...talk, ...said }), () => output.line("Sent."));
      break;
    }
    case "note":
      output.result(await client().talks.addNote({ ...talk, text: text() }), () => output.line("Noted."));
      break;
    case "close":
      output.result(await client().talks.close(talk), () => output.line("Closed. The agent answers again."));
      break;
  }
  return EXIT_CODES.ok.code;
}
