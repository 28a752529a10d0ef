import type { QuestionGroup } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "answer", "dismiss"] as const;
const ALTERNATES_MAX = 50;

export const unansweredCommand: Command = {
  name: "unanswered",
  summary: "List unanswered and poorly rated questions grouped by likeness, and answer a group",
  about: [
    "list shows one line for questions that are alike, those asked most first. answer adds a pair with all wordings of the group. dismiss removes the group from the list. Either way its questions come back if they are asked again without an answer, or if users rate the answer as bad again.",
    "Requires a token with the scope knowledge or manage; list only requires read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "QUESTION", summary: "question_id of the group" },
  ],
  options: [
    AGENT_OPTION,
    { name: "answer", value: "TEXT", summary: "answer: the answer" },
    { name: "question", value: "TEXT", summary: "answer: another wording for the pair's question" },
  ],
  examples: ["signalbox unanswered", 'signalbox unanswered answer QUESTION --answer "Yes, all year."'],
  async run(context) {
    const [action, id] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    const chosen = oneOf(action ?? "list", ACTIONS, "ACTION");
    const groups = await allGroups(context, agentId);
    if (chosen === "list") return list(context, groups);
    const wanted = required(id, "the group's question_id").toLowerCase();
    const group = groups.find(({ question_id }) => question_id === wanted);
    if (group === undefined) throw new UsageError(`No group has the question_id ${wanted}`);
    return chosen === "answer" ? answer(context, agentId, group) : dismiss(context, agentId, group);
  },
};

async function allGroups({ client }: CommandContext, agent_id: string): Promise<QuestionGroup[]> {
  const groups: QuestionGroup[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client().unanswered.listGroups({
      agent_id,
      limit: 100,
      ...given({ cursor: cursor ?? undefined }),
    });
    groups.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return groups;
}

async function list({ output }: CommandContext, groups: QuestionGroup[]): Promise<ExitCode> {
  output.result({ list: groups }, () =>
    output.table(
      ["question", "asked", "poorly rated", "wordings", "last (UTC)", "question_id"],
      groups.map(({ question, asked, poorly_rated, phrasings, last_time, question_id }) => [
        question,
        String(asked),
        String(poorly_rated),
        String(phrasings),
        timeText(last_time),
        question_id,
      ]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function answer(
  { client, options, output }: CommandContext,
  agent_id: string,
  group: QuestionGroup,
): Promise<ExitCode> {
  const question = options.text("question") ?? group.question;
  const alternates = group.questions.map((one) => one.question).filter((one) => one !== question);
  const pair = await client().pairs.add({
    agent_id,
    question,
    answer: required(options.text("answer"), "--answer"),
    alternates: alternates.slice(0, ALTERNATES_MAX),
    question_ids: group.questions.map(({ question_id }) => question_id),
  });
  output.result(pair, () =>
    output.line(`Answered in ${pair.alternates.length + 1} wordings: ${pair.pair_id}`),
  );
  return EXIT_CODES.ok.code;
}

async function dismiss(
  { client, output }: CommandContext,
  agent_id: string,
  { questions }: QuestionGroup,
): Promise<ExitCode> {
  for (const { question_id } of questions) await client().unanswered.dismiss({ agent_id, question_id });
  output.result({ dismissed: questions.length }, () =>
    output.line(`Dismissed ${questions.length} questions.`),
  );
  return EXIT_CODES.ok.code;
}
