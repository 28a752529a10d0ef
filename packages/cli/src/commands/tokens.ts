import { OPERATOR_SCOPES } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";
import { OVERLAP_OPTION, overlapOf } from "../rotated-secret.ts";
import { durationMs } from "../times.ts";

const ACTIONS = ["list", "create", "rotate", "revoke"] as const;

export const tokensCommand: Command = {
  name: "tokens",
  summary: "List, create, rotate or revoke operator tokens",
  about: [
    "Give each person and each program a token of its own: the audit names it, and it can be revoked alone. A new token is shown this once.",
    "OPERATOR_TOKEN of the environment creates the first one. From the moment a token with the scope manage is in force, OPERATOR_TOKEN opens nothing.",
    "Needs a token with the scope manage; to list, read is enough.",
  ],
  arguments: [
    { name: "ACTION", summary: "What to do; list by default", choices: ACTIONS },
    { name: "TOKEN", summary: "The id of the token to rotate or revoke" },
  ],
  options: [
    { name: "name", value: "NAME", summary: "Who or what holds a new token" },
    {
      name: "scope",
      value: "SCOPE",
      summary: "What a new token may do; can be given more than once",
      many: true,
      choices: OPERATOR_SCOPES,
    },
    {
      name: "expires",
      value: "IN",
      summary: "After how long a new token ends, such as 90d; never by default",
    },
    OVERLAP_OPTION,
  ],
  examples: [
    "signalbox tokens create --name ann --scope manage --expires 90d",
    "signalbox tokens create --name prometheus --scope metrics",
    "signalbox tokens rotate TOKEN --overlap 1h",
    "signalbox tokens revoke TOKEN",
  ],
  async run(context) {
    const [action, tokenId] = context.arguments;
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "create":
        return create(context);
      case "rotate":
        return rotate(context, required(tokenId, "TOKEN"));
      case "revoke":
        return revoke(context, required(tokenId, "TOKEN"));
      default:
        return list(context);
    }
  },
};

async function list({ client, output }: CommandContext): Promise<ExitCode> {
  const page = await client().listOperatorTokens({ limit: 100 });
  output.result(page, () => {
    const rows = page.list.map(
      ({ token_id, name, scopes, prefix, last_used_time, expire_time, revoke_time }) => [
        `${prefix}…`,
        name,
        scopes.join(" "),
        timeText(last_used_time) || "never",
        revoke_time === null ? timeText(expire_time) || "never" : "revoked",
        token_id,
      ],
    );
    output.table(["token", "name", "scopes", "last used (UTC)", "ends (UTC)", "token_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function create({ client, options, output }: CommandContext): Promise<ExitCode> {
  const name = required(options.text("name"), "--name NAME");
  const scopes = options.texts("scope").flatMap((scope) => oneOf(scope, OPERATOR_SCOPES, "--scope") ?? []);
  if (scopes.length === 0) throw new UsageError(`--scope is missing: ${OPERATOR_SCOPES.join(", ")}`);
  const expires = options.text("expires");
  const expire_time = expires === undefined ? null : Date.now() + durationMs(expires, "--expires");
  const token = await client().createOperatorToken({ name, scopes, expire_time });
  output.result(token, () => {
    output.line(token.operator_token);
    output.note(`Shown this once. Its id is ${token.token_id}.`);
    if (scopes.includes("manage")) output.note("OPERATOR_TOKEN of the environment opens nothing any more.");
  });
  return EXIT_CODES.ok.code;
}

async function rotate({ client, options, output }: CommandContext, token_id: string): Promise<ExitCode> {
  const successor = await client().rotateOperatorToken({ token_id, ...overlapOf(options) });
  output.result(successor, () => {
    output.line(successor.operator_token);
    output.note(
      `Shown this once. Its id is ${successor.token_id}. ${token_id} works until the overlap ends.`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function revoke({ client, output }: CommandContext, token_id: string): Promise<ExitCode> {
  const reply = await client().revokeOperatorToken({ token_id });
  output.result(reply, () => output.line(`${token_id} no longer works, on every node within five seconds.`));
  return EXIT_CODES.ok.code;
}
