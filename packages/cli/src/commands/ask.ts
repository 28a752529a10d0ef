import { setTimeout as sleep } from "node:timers/promises";
import type { AgentResponseMessage } from "@signalbox/contract";
import { type Command, required, wholeNumber } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const LOOK_AGAIN_MS = 200;

export const askCommand: Command = {
  name: "ask",
  summary: "Ask the agent a question, as a user would, and print its answer",
  about: [
    "The question goes in through the API in webhook mode and the answer is read from the delivery log, so the agent's message webhook gets it too. Needs the agent's key and the operator token.",
  ],
  arguments: [{ name: "QUESTION", summary: "What the user says", required: true }],
  options: [
    { name: "user", value: "ID", summary: "Who asks; signalbox-ask by default" },
    { name: "timeout", value: "SECONDS", summary: "How long to wait for the answer; 15 by default" },
  ],
  examples: ['signalbox ask "When do you open?"'],
  async run({ arguments: [question], client, options, output }) {
    const timeoutSeconds = wholeNumber(options.text("timeout"), "--timeout") ?? 15;
    const { entity_id: agent_id } = await client().verifyApiKey();
    const { conversation_id } = await client().createConversation({
      user_id: options.text("user") ?? "signalbox-ask",
    });
    await client().sendMessage({
      conversation_id,
      response_mode: "webhook",
      messages: [{ role: "user", content: required(question, "QUESTION") }],
    });
    const giveUpAt = Date.now() + timeoutSeconds * 1000;
    for (;;) {
      const { list } = await client().listDeliveries({
        agent_id,
        conversation_id,
        event: "message",
        limit: 1,
      });
      const [delivery] = list;
      if (delivery !== undefined) {
        const { body } = await client().getDelivery({ delivery_id: delivery.delivery_id });
        const message = JSON.parse(body) as AgentResponseMessage;
        output.result(message, () => {
          for (const { content, from_component_branch: branch } of message.output) {
            output.line(content.text);
            output.note(`(${branch}; conversation ${conversation_id})`);
          }
        });
        return EXIT_CODES.ok.code;
      }
      if (Date.now() > giveUpAt) {
        output.failure(`No answer within ${timeoutSeconds} s. Is a worker running? signalbox doctor looks.`, {
          conversation_id,
        });
        return EXIT_CODES.notWell.code;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  },
};
