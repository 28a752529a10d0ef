import { API_KEY_SCOPES } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";
import { durationMs } from "../times.ts";

const ACTIONS = ["list", "create", "revoke"] as const;

export const keysCommand: Command = {
  name: "keys",
  summary: "Manage API keys: list, create or revoke",
  about: ["A new key is shown only once. Requires an operator token."],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "KEY", summary: "Id of the key to revoke" },
  ],
  options: [
    AGENT_OPTION,
    { name: "name", value: "NAME", summary: "Name of the new key" },
    {
      name: "scope",
      value: "SCOPE",
      summary: "Scope of the new key; all scopes by default",
      many: true,
      choices: API_KEY_SCOPES,
    },
    {
      name: "expires",
      value: "IN",
      summary: "Lifetime of the new key, such as 90d; never expires by default",
    },
  ],
  examples: [
    "signalbox keys",
    "signalbox keys create --name ci --expires 90d",
    "signalbox keys create --name website --scope chat:mint",
    "signalbox keys revoke KEY",
  ],
  async run(context) {
    const [action, keyId] = context.arguments;
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "create":
        return create(context);
      case "revoke":
        return revoke(context, required(keyId, "KEY"));
      default:
        return list(context);
    }
  },
};

async function list({ client, options, output }: CommandContext): Promise<ExitCode> {
  const agent_id = await agentOf(client(), options.text("agent"));
  const page = await client().keys.list({ agent_id, limit: 100 });
  output.result(page, () => {
    const rows = page.list.map(
      ({ key_id, name, scopes, prefix, last_used_time, expire_time, revoke_time }) => [
        `${prefix}…`,
        name,
        scopes.length === API_KEY_SCOPES.length ? "all" : scopes.join(" "),
        timeText(last_used_time) || "never",
        revoke_time === null ? timeText(expire_time) || "never" : "revoked",
        key_id,
      ],
    );
    output.table(["key", "name", "scopes", "last used (UTC)", "expires (UTC)", "key_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function create({ client, options, output }: CommandContext): Promise<ExitCode> {
  const name = required(options.text("name"), "--name NAME");
  const expires = options.text("expires");
  const expire_time = expires === undefined ? null : Date.now() + durationMs(expires, "--expires");
  const agent_id = await agentOf(client(), options.text("agent"));
  const scopes = options.texts("scope").flatMap((scope) => oneOf(scope, API_KEY_SCOPES, "--scope") ?? []);
  const key = await client().keys.create({
    agent_id,
    name,
    expire_time,
    ...(scopes.length > 0 && { scopes }),
  });
  output.result(key, () => {
    output.line(key.api_key);
    output.note(`Store this key now: it is not shown again. Its id is ${key.key_id}.`);
  });
  return EXIT_CODES.ok.code;
}

async function revoke({ client, options, output }: CommandContext, key_id: string): Promise<ExitCode> {
  const agent_id = await agentOf(client(), options.text("agent"));
  const reply = await client().keys.revoke({ agent_id, key_id });
  output.result(reply, () =>
    output.line(`Revoked ${key_id}. It stops working on every node within five seconds.`),
  );
  return EXIT_CODES.ok.code;
}
