import type { ReplyOf } from "@signalbox/contract";
import { type Command, type CommandContext, required, wholeNumber } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const CANDIDATES = 5;

export const askCommand: Command = {
  name: "ask",
  summary: "Ask the agent a question, as a user would, and print its answer",
  about: [
    "The question goes in through the API in blocking mode, so no webhook is called. Needs the agent's API key.",
    "--why shows which pairs the agent found, how well each fits, and what the agent would do with it. --webhook asks in webhook mode: the answer then goes to the agent's message webhook.",
  ],
  arguments: [{ name: "QUESTION", summary: "What the user says", required: true }],
  options: [
    { name: "user", value: "ID", summary: "Who asks; signalbox-ask by default" },
    { name: "timeout", value: "SECONDS", summary: "How long to wait for the answer; 60 by default" },
    { name: "webhook", summary: "Have the answer sent to the message webhook instead" },
    { name: "why", summary: "Also show the pairs that were found, with their scores" },
  ],
  examples: ['signalbox ask "When do you open?"', 'signalbox ask "When do you open?" --why'],
  async run(context) {
    const { client, options, output } = context;
    const question = required(context.arguments[0], "QUESTION");
    const timeoutMs = (wholeNumber(options.text("timeout"), "--timeout") ?? 60) * 1000;
    const { conversation_id } = await client().createConversation({
      user_id: options.text("user") ?? "signalbox-ask",
    });
    const response_mode = options.isOn("webhook") ? "webhook" : "blocking";
    const reply = await client().sendMessage(
      { conversation_id, response_mode, messages: [{ role: "user", content: question }] },
      { timeoutMs },
    );
    const why = options.isOn("why") ? await candidatesFor(context, question) : undefined;
    output.result(why === undefined ? reply : { ...reply, why }, () => {
      if (!("output" in reply)) return output.line("The answer goes to the message webhook.");
      for (const { content, from_component_branch: branch } of reply.output) {
        output.line(content.text);
        output.note(`(${branch}; conversation ${conversation_id})`);
      }
      if (why === undefined) return;
      output.line();
      if (why.length === 0) return output.line("No pair has a word in common with this question.");
      const rows = why.map(({ score, would, parts, question: stored }) => [
        score.toFixed(2),
        would,
        partsText(parts),
        stored,
      ]);
      output.table(["score", "the agent would", "made of", "question"], rows);
    });
    return EXIT_CODES.ok.code;
  },
};

type Candidate = ReplyOf<"matchKnowledge">["list"][number];

async function candidatesFor({ client }: CommandContext, prompt: string): Promise<Candidate[]> {
  const { list } = await client().matchKnowledge({ prompt, top_k: CANDIDATES, score_parts: true });
  return list;
}

function partsText(parts: Candidate["parts"]): string {
  return Object.entries(parts ?? {})
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value.toFixed(2)}`]))
    .join(", ");
}
