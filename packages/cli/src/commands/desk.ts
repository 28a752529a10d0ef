import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { CREDENTIAL_OPTIONS, credentialsOf, describeCredentials } from "../credential-options.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { OVERLAP_OPTION, overlapOf, tellRotated } from "../rotated-secret.ts";

const ACTIONS = ["list", "add", "rotate", "remove"] as const;

export const deskCommand: Command = {
  name: "desk",
  summary: "Manage desks: list, add, remove, or rotate a signing secret",
  about: [
    "A desk is a human service component: the program that receives handoffs (sections 4.6 to 4.8) and sends human replies (4.9 and 4.10). Requires an operator token.",
    "Give the base URL: the service calls URL/conversation/establish, URL/chat and URL/conversation/close.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "DESK", summary: "URL of the desk to add, or id of the desk to rotate or remove" },
  ],
  options: [
    AGENT_OPTION,
    { name: "name", value: "NAME", summary: "Name that users see; Support by default" },
    ...CREDENTIAL_OPTIONS,
    OVERLAP_OPTION,
  ],
  examples: [
    "signalbox desk add https://desk.example.com/signalbox --name Support --username signalbox",
    "signalbox desk",
    "signalbox desk rotate DESK --overlap 2d",
    "signalbox desk remove DESK",
  ],
  async run(context) {
    const [action, desk] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "add":
        return add(context, agentId, required(desk, "the desk's URL"));
      case "rotate":
        return rotate(context, agentId, required(desk, "the desk's id"));
      case "remove":
        return remove(context, agentId, required(desk, "the desk's id"));
      default:
        return list(context, agentId);
    }
  },
};

async function list({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const page = await client().desks.list({ agent_id, limit: 100 });
  output.result(page, () => {
    if (page.list.length === 0) return output.line("No desks yet. Add one with: signalbox desk add URL");
    const rows = page.list.map((desk) => [
      desk.name,
      desk.url,
      describeCredentials(desk),
      desk.business_hours === null ? "always open" : "business hours",
      desk.component_id,
    ]);
    output.table(["name", "url", "credentials", "hours", "component_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function add(
  { client, options, output }: CommandContext,
  agent_id: string,
  url: string,
): Promise<ExitCode> {
  const name = options.text("name") ?? "Support";
  const desk = await client().desks.create({ agent_id, name, url, ...credentialsOf(options) });
  output.result(desk, () => {
    output.note(`Added ${desk.name} with id ${desk.component_id}. Next, test it: signalbox check`);
    if (desk.signing_secret === undefined) return;
    output.line(desk.signing_secret);
    output.note("This is the signing secret. Store it in your desk's settings now: it is not shown again.");
  });
  return EXIT_CODES.ok.code;
}

async function rotate(
  { client, options, output }: CommandContext,
  agent_id: string,
  component_id: string,
): Promise<ExitCode> {
  const rotated = await client().desks.rotateSecret({
    agent_id,
    component_id,
    ...overlapOf(options),
  });
  output.result(rotated, () => tellRotated(output, rotated));
  return EXIT_CODES.ok.code;
}

async function remove(
  { client, output }: CommandContext,
  agent_id: string,
  component_id: string,
): Promise<ExitCode> {
  const reply = await client().desks.delete({ agent_id, component_id });
  output.result(reply, () =>
    output.line("Removed the desk. Its open handoffs end, and the agent takes over again."),
  );
  return EXIT_CODES.ok.code;
}
