import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, oneOf, UsageError } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const ACTIONS = ["revoke"] as const;

export const chatTokensCommand: Command = {
  name: "chat-tokens",
  summary: "Revoke the chat tokens of a user, a visitor or a whole agent",
  about: [
    "Existing tokens stop working on every node within five seconds, and their open streams end. Your server can create new ones at once.",
    "With an operator token, name the agent unless there is only one. With an API key, it applies to that key's agent.",
  ],
  arguments: [{ name: "ACTION", summary: "Action to run", required: true, choices: ACTIONS }],
  options: [
    { name: "user", value: "ID", summary: "Tokens of this user_id" },
    { name: "anonymous", value: "ID", summary: "Tokens of this anonymous_id" },
    { name: "all", summary: "All tokens of the agent" },
    AGENT_OPTION,
  ],
  examples: ["signalbox chat-tokens revoke --user user-1", "signalbox chat-tokens revoke --all --agent ID"],
  async run({ arguments: [action], options, client, settings, output }) {
    oneOf(action, ACTIONS, "ACTION");
    const [user_id, anonymous_id] = [options.text("user"), options.text("anonymous")];
    const all_users = options.isOn("all");
    if (all_users === (user_id !== undefined || anonymous_id !== undefined))
      throw new UsageError("Give --user or --anonymous, or --all");
    const whose = { user_id, anonymous_id, all_users };
    const revoked =
      settings.operatorToken === undefined
        ? await client().chatTokens.revoke(whose)
        : await client().chatTokens.revokeForAgent({
            agent_id: await agentOf(client(), options.text("agent")),
            ...whose,
          });
    output.result(revoked, () =>
      output.line("Revoked. Existing tokens stop working on every node within five seconds."),
    );
    return EXIT_CODES.ok.code;
  },
};
