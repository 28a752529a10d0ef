import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, oneOf, UsageError } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const ACTIONS = ["revoke"] as const;

export const chatTokensCommand: Command = {
  name: "chat-tokens",
  summary: "Revoke the chat tokens of a user, a visitor or a whole agent",
  about: [
    "Tokens issued so far stop working on every node within five seconds, and streams they opened end. Your server can mint new ones at once.",
    "With the operator token it works for any agent; where there is only one it need not be named. With an API key it works for that key's agent.",
  ],
  arguments: [{ name: "ACTION", summary: "What to do", required: true, choices: ACTIONS }],
  options: [
    { name: "user", value: "ID", summary: "Tokens that name this user_id" },
    { name: "anonymous", value: "ID", summary: "Tokens that name this anonymous_id" },
    { name: "all", summary: "Every token of the agent" },
    AGENT_OPTION,
  ],
  examples: ["signalbox chat-tokens revoke --user user-1", "signalbox chat-tokens revoke --all --agent ID"],
  async run({ arguments: [action], options, client, settings, output }) {
    oneOf(action, ACTIONS, "ACTION");
    const [user_id, anonymous_id] = [options.text("user"), options.text("anonymous")];
    const all_users = options.isOn("all");
    if (all_users === (user_id !== undefined || anonymous_id !== undefined))
      throw new UsageError("name --user or --anonymous, or say --all");
    const whose = { user_id, anonymous_id, all_users };
    const revoked =
      settings.operatorToken === undefined
        ? await client().revokeChatTokens(whose)
        : await client().revokeAgentChatTokens({
            agent_id: await agentOf(client(), options.text("agent")),
            ...whose,
          });
    output.result(revoked, () =>
      output.line("Tokens issued until now no longer work, on every node within five seconds."),
    );
    return EXIT_CODES.ok.code;
  },
};
