import type { SavedQuestion, SavedQuestionRun } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { until } from "../documents/upload.ts";
import { EXIT_CODES, exitCodeFor, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "save", "delete", "run", "runs", "results"] as const;

export const savedQuestionsCommand: Command = {
  name: "saved-questions",
  summary: "Save questions with the answers they should get, and ask them again",
  about: [
    "save keeps a question with the pair that should answer it. Without --pair, the agent should not answer it. Saving a question again changes the expected pair.",
    "run asks all of them and shows what got better or worse. They are also asked after every import and restore: runs lists the last 20 runs, and results shows one of them, by default the last.",
    "With `signalbox agents set AGENT --hold-failing-imports on`, an import that makes a passing question fail is held back until somebody publishes it: signalbox documents publish.",
    "run exits with 1 if a question fails. Requires a token with the scope knowledge or manage; list, runs and results only require read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "ID", summary: "Saved question to delete, or run whose results to show" },
  ],
  options: [
    AGENT_OPTION,
    { name: "question", value: "TEXT", summary: "save: the question, as a user asks it" },
    { name: "pair", value: "ID", summary: "save: the pair that should answer it" },
  ],
  examples: [
    'signalbox saved-questions save --question "What are your hours?" --pair PAIR',
    'signalbox saved-questions save --question "Who will win the election?"',
    "signalbox saved-questions run",
  ],
  async run(context) {
    const [action, id] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    switch (oneOf(action ?? "list", ACTIONS, "ACTION")) {
      case "save":
        return save(context, agentId);
      case "delete":
        return remove(context, agentId, required(id, "the saved question's id"));
      case "run":
        return run(context, agentId);
      case "runs":
        return listRuns(context, agentId);
      case "results":
        return results(context, agentId, id);
      default:
        return list(context, agentId);
    }
  },
};

async function list({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const questions: SavedQuestion[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client().savedQuestions.list({
      agent_id,
      limit: 100,
      ...given({ cursor: cursor ?? undefined }),
    });
    questions.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
  output.result({ list: questions }, () =>
    output.table(
      ["question", "expected", "last result", "saved_question_id"],
      questions.map(({ question, expected, last_result, saved_question_id }) => [
        question,
        expected?.question ?? "(no answer)",
        last_result === null ? "" : last_result.passed ? "passed" : "failed",
        saved_question_id,
      ]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function save({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const saved = await client().savedQuestions.add({
    agent_id,
    question: required(options.text("question"), "--question"),
    ...given({ pair_id: options.text("pair") }),
  });
  output.result(saved, () => output.line(`Saved: ${saved.saved_question_id}`));
  return EXIT_CODES.ok.code;
}

async function remove(
  { client, output }: CommandContext,
  agent_id: string,
  saved_question_id: string,
): Promise<ExitCode> {
  const reply = await client().savedQuestions.delete({ agent_id, saved_question_id });
  output.result(reply, () => output.line("Deleted."));
  return EXIT_CODES.ok.code;
}

async function run(context: CommandContext, agent_id: string): Promise<ExitCode> {
  const { client } = context;
  const { run_id } = await client().savedQuestions.run({ agent_id });
  const look = () => client().savedQuestions.getRun({ agent_id, run_id });
  const { state } = await until(await look(), look, (seen) => seen.state !== "waiting");
  return state === "finished" ? results(context, agent_id, run_id) : EXIT_CODES.notWell.code;
}

async function listRuns({ client, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const page = await client().savedQuestions.listRuns({ agent_id, limit: 100 });
  output.result(page, () =>
    output.table(
      ["at (UTC)", "after", "passed", "better", "worse", "", "run_id"],
      page.list.map((one) => [
        timeText(one.create_time),
        one.trigger,
        `${one.passed} of ${one.total}`,
        String(one.better),
        String(one.worse),
        one.held ? "held back" : one.state === "finished" ? "" : one.state,
        one.run_id,
      ]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function results(
  { client, output }: CommandContext,
  agent_id: string,
  id: string | undefined,
): Promise<ExitCode> {
  const last = id ?? lastRun(await client().savedQuestions.listRuns({ agent_id, limit: 20 }));
  if (last === undefined) {
    output.result(null, () => output.line("No run yet. Start one with: signalbox saved-questions run"));
    return EXIT_CODES.ok.code;
  }
  const found = await client().savedQuestions.getRun({ agent_id, run_id: last });
  output.result(found, () => {
    output.line(
      `${found.passed} of ${found.total} passed, ${found.better} better and ${found.worse} worse than before`,
    );
    const failed = found.results.filter(({ passed }) => !passed);
    if (failed.length === 0) return;
    output.table(
      ["failed", "change", "expected", "closest question"],
      failed.map(({ question, change, expected, closest }) => [
        question,
        change,
        expected?.question ?? "(no answer)",
        closest?.question ?? "",
      ]),
    );
  });
  return exitCodeFor(found.passed === found.total);
}

function lastRun({ list: runs }: { list: SavedQuestionRun[] }): string | undefined {
  return runs.find(({ state }) => state === "finished")?.run_id;
}
