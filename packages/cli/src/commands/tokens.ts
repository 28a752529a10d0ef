import { OPERATOR_SCOPES } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";
import { OVERLAP_OPTION, overlapOf } from "../rotated-secret.ts";
import { durationMs } from "../times.ts";

const ACTIONS = ["list", "create", "rotate", "revoke"] as const;

export const tokensCommand: Command = {
  name: "tokens",
  summary: "Manage operator tokens: list, create, rotate or revoke",
  about: [
    "Give each person and program a separate token: the audit log names it, and you can revoke it alone. A new token is shown only once.",
    "The service's OPERATOR_TOKEN creates the first one. It stops working once a token with the scope manage exists.",
    "Requires a token with the scope manage; listing only requires read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "TOKEN", summary: "Id of the token to rotate or revoke" },
  ],
  options: [
    { name: "name", value: "NAME", summary: "Person or program that uses the new token" },
    {
      name: "scope",
      value: "SCOPE",
      summary: "Scope of the new token",
      many: true,
      choices: OPERATOR_SCOPES,
    },
    {
      name: "expires",
      value: "IN",
      summary: "Lifetime of the new token, such as 90d; never expires by default",
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
  const page = await client().tokens.list({ limit: 100 });
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
    output.table(["token", "name", "scopes", "last used (UTC)", "expires (UTC)", "token_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function create({ client, options, output }: CommandContext): Promise<ExitCode> {
  const name = required(options.text("name"), "--name NAME");
  const scopes = options.texts("scope").flatMap((scope) => oneOf(scope, OPERATOR_SCOPES, "--scope") ?? []);
  if (scopes.length === 0) throw new UsageError(`Missing --scope: one of ${OPERATOR_SCOPES.join(", ")}`);
  const expires = options.text("expires");
  const expire_time = expires === undefined ? null : Date.now() + durationMs(expires, "--expires");
  const token = await client().tokens.create({ name, scopes, expire_time });
  output.result(token, () => {
    output.line(token.operator_token);
    output.note(`Store this token now: it is not shown again. Its id is ${token.token_id}.`);
    if (scopes.includes("manage")) output.note("The service's OPERATOR_TOKEN no longer works.");
  });
  return EXIT_CODES.ok.code;
}

async function rotate({ client, options, output }: CommandContext, token_id: string): Promise<ExitCode> {
  const successor = await client().tokens.rotate({ token_id, ...overlapOf(options) });
  output.result(successor, () => {
    output.line(successor.operator_token);
    output.note(
      `Store this token now: it is not shown again. Its id is ${successor.token_id}. ${token_id} works until the overlap ends.`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function revoke({ client, output }: CommandContext, token_id: string): Promise<ExitCode> {
  const reply = await client().tokens.revoke({ token_id });
  output.result(reply, () =>
    output.line(`Revoked ${token_id}. It stops working on every node within five seconds.`),
  );
  return EXIT_CODES.ok.code;
}
