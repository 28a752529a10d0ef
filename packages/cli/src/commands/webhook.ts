import { SignalboxError } from "@signalbox/sdk";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { CREDENTIAL_OPTIONS, credentialsOf, describeCredentials } from "../credential-options.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { OVERLAP_OPTION, overlapOf, tellRotated } from "../rotated-secret.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["show", "set", "rotate", "remove"] as const;
const NOT_FOUND = 404;

export const webhookCommand: Command = {
  name: "webhook",
  summary: "Show, set or remove an agent's message webhook, or rotate its signing secret",
  about: [
    "The message webhook is where the agent's replies go in webhook mode (section 4.5). Needs an operator token.",
    "The signing secret is shown when the webhook is first set and when it is rotated, and never again.",
  ],
  arguments: [
    { name: "ACTION", summary: "What to do; show by default", choices: ACTIONS },
    { name: "URL", summary: "Where messages go, for set" },
  ],
  options: [AGENT_OPTION, ...CREDENTIAL_OPTIONS, OVERLAP_OPTION],
  examples: [
    "signalbox webhook set https://example.com/signalbox --username signalbox --secret s3cret",
    "signalbox webhook",
    "signalbox webhook rotate --overlap 2d",
  ],
  async run(context) {
    const [action, url] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    switch (oneOf(action ?? "show", ACTIONS, "ACTION")) {
      case "set":
        return set(context, agentId, required(url, "URL"));
      case "rotate":
        return rotate(context, agentId);
      case "remove":
        return remove(context, agentId);
      default:
        return show(context, agentId);
    }
  },
};

async function show({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const webhook = await client()
    .getMessageWebhook({ agent_id })
    .catch((error: unknown) => {
      if (error instanceof SignalboxError && error.status === NOT_FOUND) return undefined;
      throw error;
    });
  if (webhook === undefined) {
    output.failure("No message webhook is set. Set one with: signalbox webhook set URL");
    return EXIT_CODES.notWell.code;
  }
  output.result(webhook, () => {
    output.line(webhook.url);
    output.note(`${describeCredentials(webhook)}; changed ${timeText(webhook.update_time)} UTC`);
  });
  return EXIT_CODES.ok.code;
}

async function set(
  { client, options, output }: CommandContext,
  agent_id: string,
  url: string,
): Promise<ExitCode> {
  const webhook = await client().setMessageWebhook({ agent_id, url, ...credentialsOf(options) });
  output.result(webhook, () => {
    output.note(`Messages go to ${webhook.url}. Next: signalbox check`);
    if (webhook.signing_secret === undefined) return;
    output.line(webhook.signing_secret);
    output.note("The signing secret, shown this once. Keep it where your receiver reads its settings.");
  });
  return EXIT_CODES.ok.code;
}

async function rotate({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const rotated = await client().rotateMessageWebhookSecret({ agent_id, ...overlapOf(options) });
  output.result(rotated, () => tellRotated(output, rotated));
  return EXIT_CODES.ok.code;
}

async function remove({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const reply = await client().deleteMessageWebhook({ agent_id });
  output.result(reply, () =>
    output.line("The message webhook is removed. Messages that waited for it are given up."),
  );
  return EXIT_CODES.ok.code;
}
