import { SignalboxError } from "@signalbox/sdk";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, type Option, type Options, required } from "../command.ts";
import { CREDENTIAL_OPTIONS, credentialsOf, describeCredentials } from "../credential-options.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { OVERLAP_OPTION, overlapOf, tellPublicKey, tellRotated } from "../rotated-secret.ts";
import { sendTestEvent, TEST_EVENT_OPTIONS } from "../test-event.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["show", "set", "rotate", "remove", "test"] as const;
const NOT_FOUND = 404;

const SWITCHES = ["on", "off"] as const;
const STANDARD_OPTIONS: readonly Option[] = [
  {
    name: "asymmetric-signature",
    value: "SWITCH",
    summary: "Also sign with a key pair (v1a), for set",
    choices: SWITCHES,
  },
  {
    name: "cloud-events",
    value: "SWITCH",
    summary: "Also send CloudEvents headers, for set",
    choices: SWITCHES,
  },
];

export const webhookCommand: Command = {
  name: "webhook",
  summary: "Manage an agent's message webhook: show, set, remove, test, or rotate its signing secret",
  about: [
    "The message webhook receives the agent's replies in webhook mode (section 4.5). Requires an operator token.",
    "The signing secret is shown only once: when you first set the webhook, and when you rotate it.",
    "test sends a body of your own, or of a delivery, to the webhook once and shows the response. It is marked as a test (istest), and nothing is queued.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; show by default", choices: ACTIONS },
    { name: "URL", summary: "Receiver URL, for set" },
  ],
  options: [AGENT_OPTION, ...CREDENTIAL_OPTIONS, ...STANDARD_OPTIONS, OVERLAP_OPTION, ...TEST_EVENT_OPTIONS],
  examples: [
    "signalbox webhook set https://example.com/signalbox --username signalbox --secret s3cret",
    "signalbox webhook",
    "signalbox webhook rotate --overlap 2d",
    "signalbox webhook test --delivery 0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21 --data edited.json",
  ],
  async run(context) {
    const [action, url] = context.arguments;
    const chosen = oneOf(action ?? "show", ACTIONS, "ACTION");
    if (chosen === "test") return sendTestEvent(context);
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    switch (chosen) {
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
    .webhooks.get({ agent_id })
    .catch((error: unknown) => {
      if (error instanceof SignalboxError && error.status === NOT_FOUND) return undefined;
      throw error;
    });
  if (webhook === undefined) {
    output.failure("No message webhook set. Set one with: signalbox webhook set URL");
    return EXIT_CODES.notWell.code;
  }
  output.result(webhook, () => {
    output.line(webhook.url);
    output.note(`${describeCredentials(webhook)}; updated ${timeText(webhook.update_time)} UTC`);
    tellPublicKey(output, webhook);
  });
  return EXIT_CODES.ok.code;
}

async function set(
  { client, options, output }: CommandContext,
  agent_id: string,
  url: string,
): Promise<ExitCode> {
  const webhook = await client().webhooks.set({
    agent_id,
    url,
    ...credentialsOf(options),
    ...switched(options, "asymmetric-signature", "asymmetric_signature"),
    ...switched(options, "cloud-events", "cloud_events"),
  });
  output.result(webhook, () => {
    output.note(`Messages now go to ${webhook.url}. Next, test it: signalbox check`);
    tellPublicKey(output, webhook);
    if (webhook.signing_secret === undefined) return;
    output.line(webhook.signing_secret);
    output.note(
      "This is the signing secret. Store it in your receiver's settings now: it is not shown again.",
    );
  });
  return EXIT_CODES.ok.code;
}

function switched<Field extends string>(
  options: Options,
  name: string,
  field: Field,
): { [Name in Field]?: boolean } {
  const given = oneOf(options.text(name), SWITCHES, `--${name}`);
  return given === undefined ? {} : ({ [field]: given === "on" } as { [Name in Field]?: boolean });
}

async function rotate({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const rotated = await client().webhooks.rotateSecret({ agent_id, ...overlapOf(options) });
  output.result(rotated, () => tellRotated(output, rotated));
  return EXIT_CODES.ok.code;
}

async function remove({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const reply = await client().webhooks.delete({ agent_id });
  output.result(reply, () =>
    output.line("Removed the message webhook. Its pending messages are dead-lettered."),
  );
  return EXIT_CODES.ok.code;
}
