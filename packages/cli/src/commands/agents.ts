import { Language, type ReplyOf } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "create", "show", "delete"] as const;

export const agentsCommand: Command = {
  name: "agents",
  summary: "List, create, show or delete agents",
  about: [
    "An agent has its own knowledge, API keys, webhooks and conversations. Needs an operator token.",
    "delete stops the agent's keys and deliveries at once. It asks for --yes, because nothing brings them back.",
  ],
  arguments: [
    { name: "ACTION", summary: "What to do; list by default", choices: ACTIONS },
    { name: "AGENT", summary: "The agent to show or delete" },
  ],
  options: [
    { name: "name", value: "NAME", summary: "What a new agent is called" },
    {
      name: "language",
      value: "LANGUAGE",
      summary: "In which language a new agent speaks its own sentences; en by default",
      choices: Language.options,
    },
    { name: "yes", summary: "Really delete" },
  ],
  examples: [
    "signalbox agents",
    'signalbox agents create --name "Help center"',
    "signalbox agents show AGENT",
    "signalbox agents delete AGENT --yes",
  ],
  async run(context) {
    const [action, agentId] = context.arguments;
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "create":
        return create(context);
      case "show":
        return show(context, required(agentId, "AGENT"));
      case "delete":
        return remove(context, required(agentId, "AGENT"));
      default:
        return list(context);
    }
  },
};

async function list({ client, output }: CommandContext): Promise<ExitCode> {
  const agents: ReplyOf<"getAgent">[] = [];
  let cursor: string | null = null;
  do {
    const page: ReplyOf<"listAgents"> = await client().listAgents({
      limit: 100,
      ...(cursor !== null && { cursor }),
    });
    agents.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
  output.result({ list: agents }, () => {
    if (agents.length === 0)
      return output.line("There is no agent yet. Make one with: signalbox agents create --name NAME");
    const rows = agents.map(({ agent_id, name, language, create_time, delete_time }) => [
      name,
      language,
      timeText(create_time),
      delete_time === null ? "" : `deleted ${timeText(delete_time)}`,
      agent_id,
    ]);
    output.table(["name", "language", "created (UTC)", "", "agent_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function create({ client, options, output }: CommandContext): Promise<ExitCode> {
  const name = required(options.text("name"), "--name NAME");
  const language = oneOf(options.text("language"), Language.options, "--language");
  const agent = await client().createAgent({ name, ...(language !== undefined && { language }) });
  output.result(agent, () => {
    output.line(agent.agent_id);
    output.note(
      `${agent.name} is created. Next: signalbox keys create --name server --agent ${agent.agent_id}`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function show({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const agent = await client().getAgent({ agent_id });
  output.result(agent, () => {
    const rows = Object.entries(agent).map(([field, value]) => [
      field,
      field.endsWith("_time") ? timeText(value as number | null) : String(value ?? ""),
    ]);
    output.table(["field", "value"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function remove({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const { name } = await client().getAgent({ agent_id });
  if (!options.isOn("yes")) throw new UsageError(`this deletes ${name}: add --yes if you mean it`);
  const reply = await client().deleteAgent({ agent_id });
  output.result(reply, () => output.line(`${name} is deleted. Its keys answer 40378 from now on.`));
  return EXIT_CODES.ok.code;
}
