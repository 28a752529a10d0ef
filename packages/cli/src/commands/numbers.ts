import {
  ConversationChannel,
  NUMBERS_LANGUAGES,
  NumbersStep,
  type Figures,
  type Numbers,
} from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";
import { timeFrom } from "../times.ts";
import { writeExport } from "../write-export.ts";

const ACTIONS = ["show", "export", "questions"] as const;
const DEFAULT_RANGE = "7d";

export const numbersCommand: Command = {
  name: "numbers",
  summary: "Show or export figures: conversations, answers, handoffs, waiting times and tokens",
  about: [
    "`show` prints one line for each day or hour, and the totals. `export` writes the same figures, and more of them, as CSV. `questions` lists what users asked most and what the agent could not answer.",
    "Figures are counted a few seconds after the fact. They are for the last 7 days unless you say otherwise.",
    "Requires a token with the scope read, conversations or knowledge.",
  ],
  arguments: [{ name: "ACTION", summary: "Action to run; show by default", choices: ACTIONS }],
  options: [
    {
      ...AGENT_OPTION,
      summary: "Agent id; all agents if omitted. questions: optional if there is only one agent",
    },
    { name: "since", value: "TIME", summary: "From this time on; a time, or how long ago, such as 30d" },
    { name: "until", value: "TIME", summary: "Before this time; now if omitted" },
    {
      name: "step",
      value: "STEP",
      summary: "A line for each day or hour; day by default",
      choices: NumbersStep.options,
    },
    { name: "time-zone", value: "ZONE", summary: "Where days begin, such as Europe/Berlin; UTC by default" },
    { name: "channel", value: "CHANNEL", summary: "On this channel", choices: ConversationChannel.options },
    { name: "language", value: "LANGUAGE", summary: "In this language", choices: NUMBERS_LANGUAGES },
    { name: "out", value: "FILE", summary: "export: file to write; standard output if omitted" },
  ],
  examples: [
    "signalbox numbers",
    "signalbox numbers show --since 30d --channel widget",
    "signalbox numbers export --since 1d --step hour --out numbers.csv",
    "signalbox numbers questions --since 30d",
  ],
  run(context) {
    const action = oneOf(context.arguments[0] ?? "show", ACTIONS, "ACTION");
    if (action === "questions") return questions(context);
    return action === "export" ? exportNumbers(context) : show(context);
  },
};

function rangeOf({ options }: CommandContext) {
  const now = Date.now();
  return {
    from_time: timeFrom(options.text("since") ?? DEFAULT_RANGE, "--since", now) ?? now,
    to_time: timeFrom(options.text("until"), "--until", now) ?? now,
  };
}

function queryOf(context: CommandContext) {
  const { options } = context;
  return {
    ...rangeOf(context),
    ...given({
      agent_id: options.text("agent"),
      step: oneOf(options.text("step"), NumbersStep.options, "--step"),
      time_zone: options.text("time-zone"),
      channel: oneOf(options.text("channel"), ConversationChannel.options, "--channel"),
      language: oneOf(options.text("language"), NUMBERS_LANGUAGES, "--language"),
    }),
  };
}

async function show(context: CommandContext): Promise<ExitCode> {
  const { client, output } = context;
  const numbers = await client().numbers.get(queryOf(context));
  output.result(numbers, () => {
    const headings = [
      "from (UTC)",
      "conversations",
      "answered",
      "offered",
      "unanswered",
      "handoffs",
      "first reply",
      "tokens",
    ];
    const lines = numbers.series.map(({ time, ...figures }) => [timeText(time), ...cellsOf(figures)]);
    output.table(headings, [...lines, ["total", ...cellsOf(numbers.totals)]]);
    noteCounted(context, numbers);
  });
  return EXIT_CODES.ok.code;
}

function cellsOf({ conversations, answers, handoffs, first_reply, tokens }: Figures): string[] {
  const { direct, suggestion, model, unanswered } = answers;
  const asked = direct + suggestion + model + unanswered;
  const withShare = (count: number) =>
    asked === 0 ? String(count) : `${count} (${Math.round((count / asked) * 100)} %)`;
  const median = first_reply.median_ms === null ? "" : `${Math.round(first_reply.median_ms / 1000)} s`;
  return [
    String(conversations),
    withShare(direct + model),
    withShare(suggestion),
    String(unanswered),
    String(handoffs),
    median,
    tokens === null ? "" : String(tokens),
  ];
}

function noteCounted({ output }: CommandContext, { counted_time }: Numbers): void {
  if (counted_time === null) output.note("Nothing is counted yet: is a worker running?");
}

async function exportNumbers(context: CommandContext): Promise<ExitCode> {
  await writeExport(context, await context.client().numbers.export(queryOf(context)));
  return EXIT_CODES.ok.code;
}

async function questions(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const agent_id = await agentOf(client(), options.text("agent"));
  const top = await client().numbers.listTopQuestions({ agent_id, ...rangeOf(context) });
  output.result(top, () => {
    const rows = (["asked", "unanswered"] as const).flatMap((list) =>
      top[list].map(({ question, asked, phrasings }) => [list, question, String(asked), String(phrasings)]),
    );
    if (rows.length === 0) return output.line("No question was asked more than once.");
    output.table(["list", "question", "asked", "wordings"], rows);
    if (top.is_partial) output.note("Only the newest 20,000 messages were read: choose a shorter range.");
  });
  return EXIT_CODES.ok.code;
}
