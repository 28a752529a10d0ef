import { readFile } from "node:fs/promises";
import { Language, type ReplyOf } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "create", "show", "set", "delete"] as const;
const SWITCH = ["on", "off"] as const;

export const agentsCommand: Command = {
  name: "agents",
  summary: "Manage agents: list, create, show, change or delete",
  about: [
    "An agent has its own knowledge, API keys, webhooks and conversations. Requires an operator token.",
    "set changes how an agent answers. A synonyms file has one group of synonyms per line, separated by commas.",
    "delete stops the agent's keys and deliveries at once and cannot be undone, so it requires --yes.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "AGENT", summary: "Id of the agent to show, change or delete" },
  ],
  options: [
    { name: "name", value: "NAME", summary: "Name of the new agent" },
    {
      name: "language",
      value: "LANGUAGE",
      summary: "Language of the new agent's own sentences; en by default",
      choices: Language.options,
    },
    {
      name: "synonyms",
      value: "FILE",
      summary: "set: file with this agent's synonyms; - reads standard input",
    },
    {
      name: "small-talk",
      value: "SWITCH",
      summary: "set: turn replies to greetings and thanks on or off",
      choices: SWITCH,
    },
    { name: "fallback", value: "TEXT", summary: "set: reply when the agent has no answer" },
    {
      name: "hold-failing-imports",
      value: "SWITCH",
      summary: "set: hold imports back that make a saved question fail",
      choices: SWITCH,
    },
    { name: "yes", summary: "Confirm the deletion" },
  ],
  examples: [
    "signalbox agents",
    'signalbox agents create --name "Help center"',
    "signalbox agents show AGENT",
    "signalbox agents set AGENT --synonyms synonyms.txt",
    "signalbox agents delete AGENT --yes",
  ],
  async run(context) {
    const [action, agentId] = context.arguments;
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "create":
        return create(context);
      case "show":
        return show(context, required(agentId, "AGENT"));
      case "set":
        return change(context, required(agentId, "AGENT"));
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
    const page: ReplyOf<"listAgents"> = await client().agents.list({
      limit: 100,
      ...(cursor !== null && { cursor }),
    });
    agents.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
  output.result({ list: agents }, () => {
    if (agents.length === 0)
      return output.line("No agents yet. Create one with: signalbox agents create --name NAME");
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
  const agent = await client().agents.create({ name, ...(language !== undefined && { language }) });
  output.result(agent, () => {
    output.line(agent.agent_id);
    output.note(
      `Created ${agent.name}. Next, create an API key: signalbox keys create --name server --agent ${agent.agent_id}`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function show({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const agent = await client().agents.get({ agent_id });
  output.result(agent, () => {
    const rows = Object.entries(agent).map(([field, value]) => [
      field,
      field.endsWith("_time")
        ? timeText(value as number | null)
        : typeof value === "object" && value !== null
          ? JSON.stringify(value)
          : String(value ?? ""),
    ]);
    output.table(["field", "value"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function change({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const file = options.text("synonyms");
  const smallTalk = oneOf(options.text("small-talk"), SWITCH, "--small-talk");
  const fallback = options.text("fallback");
  const hold = oneOf(options.text("hold-failing-imports"), SWITCH, "--hold-failing-imports");
  if (file === undefined && smallTalk === undefined && fallback === undefined && hold === undefined)
    throw new UsageError(
      "Nothing to change. Give --synonyms FILE, --small-talk on|off, --fallback TEXT or --hold-failing-imports on|off",
    );
  const { small_talk } = await client().agents.get({ agent_id });
  const agent = await client().agents.update({
    agent_id,
    ...(file !== undefined && { synonyms: await readSynonyms(file) }),
    ...(smallTalk !== undefined && { small_talk: { ...small_talk, enabled: smallTalk === "on" } }),
    ...(fallback !== undefined && { fallback_text: fallback }),
    ...(hold !== undefined && { hold_failing_imports: hold === "on" }),
  });
  output.result(agent, () => output.line(`Updated ${agent.name}.`));
  return EXIT_CODES.ok.code;
}

/** A line is a group; empty ones and those that begin with # say nothing. */
async function readSynonyms(file: string): Promise<string[][]> {
  const text = await readFile(file === "-" ? "/dev/stdin" : file, "utf8").catch(() => {
    throw new UsageError(`Cannot read ${file}`);
  });
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(/[,，]/).map((word) => word.trim()));
}

async function remove({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const { name } = await client().agents.get({ agent_id });
  if (!options.isOn("yes")) throw new UsageError(`This permanently deletes ${name}. Add --yes to confirm`);
  const reply = await client().agents.delete({ agent_id });
  output.result(reply, () => output.line(`Deleted ${name}. Requests with its API keys now fail with 40378.`));
  return EXIT_CODES.ok.code;
}
