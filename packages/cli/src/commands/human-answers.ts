import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "accept", "dismiss"] as const;

export const humanAnswersCommand: Command = {
  name: "human-answers",
  summary: "Review what humans answered in handoffs, and add it to the knowledge",
  about: [
    "list shows questions and answers of handoffs that have ended in the last 90 days. Email addresses and long numbers are masked. accept adds one as a pair with the texts you give: nothing else is published. dismiss does not offer it again.",
    "Requires a token with the scope knowledge or manage; list only requires read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "ANSWER", summary: "Id of the answer to accept or dismiss" },
  ],
  options: [
    AGENT_OPTION,
    { name: "question", value: "TEXT", summary: "accept: the question of the pair" },
    { name: "answer", value: "TEXT", summary: "accept: the answer of the pair" },
  ],
  examples: [
    "signalbox human-answers",
    'signalbox human-answers accept ANSWER --question "Do you repair zippers?" --answer "Yes, within a week."',
  ],
  async run(context) {
    const [action, id] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    const chosen = oneOf(action ?? "list", ACTIONS, "ACTION");
    if (chosen === "accept") return accept(context, agentId, required(id, "the answer's id"));
    if (chosen === "dismiss") return dismiss(context, agentId, required(id, "the answer's id"));
    return list(context, agentId);
  },
};

async function list({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const page = await client().humanAnswers.list({ agent_id, limit: 100 });
  output.result(page, () =>
    output.table(
      ["question", "answer", "at (UTC)", "answer_id"],
      page.list.map(({ question, answer, time, answer_id }) => [question, answer, timeText(time), answer_id]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function accept(
  { client, options, output }: CommandContext,
  agent_id: string,
  answer_id: string,
): Promise<ExitCode> {
  const pair = await client().humanAnswers.accept({
    agent_id,
    answer_id,
    question: required(options.text("question"), "--question"),
    answer: required(options.text("answer"), "--answer"),
  });
  output.result(pair, () => output.line(`Added to ${pair.doc_name}: ${pair.pair_id}`));
  return EXIT_CODES.ok.code;
}

async function dismiss(
  { client, output }: CommandContext,
  agent_id: string,
  answer_id: string,
): Promise<ExitCode> {
  const reply = await client().humanAnswers.dismiss({ agent_id, answer_id });
  output.result(reply, () => output.line("Dismissed."));
  return EXIT_CODES.ok.code;
}
