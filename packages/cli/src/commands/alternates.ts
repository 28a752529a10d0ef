import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "approve", "reject"] as const;

export const alternatesCommand: Command = {
  name: "alternates",
  summary: "Review what users typed before they chose an offered question",
  about: [
    "`approve` makes the words an alternate of the question that was chosen, so that they are answered at once from then on. `reject` forgets them.",
    "Needs the operator token.",
  ],
  arguments: [
    { name: "ACTION", summary: "What to do; list by default", choices: ACTIONS },
    { name: "ALTERNATE", summary: "Ids to approve or to reject", many: true },
  ],
  options: [AGENT_OPTION],
  examples: [
    "signalbox alternates",
    "signalbox alternates approve ALTERNATE",
    "signalbox alternates reject ALTERNATE ALTERNATE",
  ],
  async run(context) {
    const [action, ...ids] = context.arguments;
    const chosen = oneOf(action ?? "list", ACTIONS, "ACTION");
    if (chosen !== "approve" && chosen !== "reject") return list(context);
    required(ids[0], "ALTERNATE");
    return review(context, chosen, ids);
  },
};

async function list({ client, options, output }: CommandContext): Promise<ExitCode> {
  const agent_id = await agentOf(client(), options.text("agent"));
  const page = await client().alternates.list({ agent_id, limit: 100 });
  output.result(page, () => {
    const rows = page.list.map(({ alternate, question, chosen, last_time, alternate_id }) => [
      alternate,
      question,
      String(chosen),
      timeText(last_time),
      alternate_id,
    ]);
    output.table(["users typed", "and chose", "conversations", "last (UTC)", "alternate_id"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function review(
  { client, options, output }: CommandContext,
  action: "approve" | "reject",
  ids: string[],
): Promise<ExitCode> {
  const agent_id = await agentOf(client(), options.text("agent"));
  for (const alternate_id of ids) {
    const named = { agent_id, alternate_id };
    const reply =
      action === "approve"
        ? await client().alternates.approve(named)
        : await client().alternates.reject(named);
    output.result(reply, () =>
      output.line(
        action === "approve" ? `${alternate_id} is an alternate now.` : `${alternate_id} is forgotten.`,
      ),
    );
  }
  return EXIT_CODES.ok.code;
}
