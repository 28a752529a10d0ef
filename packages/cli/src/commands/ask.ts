import type { ReplyOf } from "@signalbox/contract";
import { type Command, type CommandContext, required, wholeNumber } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const CANDIDATES = 5;

export const askCommand: Command = {
  name: "ask",
  summary: "Ask an agent a question and print the answer",
  about: [
    "Sends the question through the API in blocking mode, so no webhook is called. Requires an API key.",
    "--why shows the question-answer pairs the agent found, their scores, and what it would do with each. --webhook uses webhook mode: the answer goes to the agent's message webhook.",
  ],
  arguments: [{ name: "QUESTION", summary: "The user's message", required: true }],
  options: [
    { name: "user", value: "ID", summary: "user_id of the user who asks; signalbox-ask by default" },
    { name: "timeout", value: "SECONDS", summary: "How long to wait for the answer; 60 by default" },
    { name: "webhook", summary: "Send the answer to the message webhook instead" },
    { name: "why", summary: "Also show the pairs found, with their scores" },
  ],
  examples: ['signalbox ask "When do you open?"', 'signalbox ask "When do you open?" --why'],
  async run(context) {
    const { client, options, output } = context;
    const question = required(context.arguments[0], "QUESTION");
    const timeoutMs = (wholeNumber(options.text("timeout"), "--timeout") ?? 60) * 1000;
    const { conversation_id } = await client().conversations.create({
      user_id: options.text("user") ?? "signalbox-ask",
    });
    const response_mode = options.isOn("webhook") ? "webhook" : "blocking";
    const reply = await client().conversations.sendMessage(
      { conversation_id, response_mode, messages: [{ role: "user", content: question }] },
      { timeoutMs },
    );
    const why = options.isOn("why") ? await candidatesFor(context, question) : undefined;
    output.result(why === undefined ? reply : { ...reply, why }, () => {
      if (!("output" in reply))
        return output.line("Accepted. The answer will be sent to the message webhook.");
      for (const { content, from_component_branch: branch } of reply.output) {
        output.line(content.text);
        output.note(`(${branch}; conversation ${conversation_id})`);
      }
      if (why === undefined) return;
      output.line();
      if (why.length === 0) return output.line("No pairs match this question.");
      const rows = why.map(({ score, would, parts, question: stored }) => [
        score.toFixed(2),
        would,
        partsText(parts),
        stored,
      ]);
      output.table(["score", "decision", "score parts", "question"], rows);
    });
    return EXIT_CODES.ok.code;
  },
};

type Candidate = ReplyOf<"matchKnowledge">["list"][number];

async function candidatesFor({ client }: CommandContext, prompt: string): Promise<Candidate[]> {
  const { list } = await client().knowledge.search({ prompt, top_k: CANDIDATES, score_parts: true });
  return list;
}

function partsText(parts: Candidate["parts"]): string {
  return Object.entries(parts ?? {})
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value.toFixed(2)}`]))
    .join(", ");
}
