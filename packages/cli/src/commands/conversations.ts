import {
  ConversationChannel,
  type ConversationEntry,
  ConversationOutcome,
  type TimelineItem,
} from "@signalbox/contract";
import { exportConversations, readConversation } from "../conversations/export-conversations.ts";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, UsageError, wholeNumber } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";
import { timeFrom } from "../times.ts";

const ACTIONS = ["list", "show", "export"] as const;
const CONTROL = ["bot", "human"] as const;

export const conversationsCommand: Command = {
  name: "conversations",
  summary: "List, search and export conversations, or show one as a timeline",
  about: [
    "`list` shows the newest first; --text finds messages by their words, or by the beginning of words. `show` prints the messages, each handoff, and the outcome of each delivery. `export` writes one line of JSON per conversation, with its timeline, newest first, and goes on where it stopped with --cursor. All show what users said, and the audit says so.",
    "Needs the operator token.",
  ],
  arguments: [
    { name: "ACTION", summary: "What to do", choices: ACTIONS, required: true },
    { name: "CONVERSATION", summary: "The conversation to show" },
  ],
  options: [
    AGENT_OPTION,
    { name: "text", value: "WORDS", summary: "With a message that contains these words" },
    { name: "user", value: "ID", summary: "With this user, by your own user_id" },
    { name: "anonymous", value: "ID", summary: "With this user, by anonymous_id" },
    {
      name: "channel",
      value: "CHANNEL",
      summary: "On this channel",
      choices: ConversationChannel.options,
    },
    { name: "control", value: "WHO", summary: "In which the bot, or a human, speaks now", choices: CONTROL },
    {
      name: "outcome",
      value: "OUTCOME",
      summary: "With this outcome",
      choices: ConversationOutcome.options,
    },
    { name: "since", value: "TIME", summary: "Begun since; a time, or how long ago, such as 2h" },
    { name: "until", value: "TIME", summary: "Begun before" },
    { name: "limit", value: "N", summary: "list: how many at most; 50 by default" },
    { name: "out", value: "FILE", summary: "export: write to this file, readable only by you" },
    { name: "cursor", value: "CURSOR", summary: "export: go on where an export stopped; appends to --out" },
  ],
  examples: [
    "signalbox conversations list --outcome unanswered --since 1d",
    'signalbox conversations list --text "refund order"',
    "signalbox conversations export --since 30d --out conversations.jsonl",
    "signalbox conversations show 0199f3a2-5b0d-7c3e-8a41-2f6f1c8e2155",
  ],
  async run(context) {
    switch (oneOf(context.arguments[0], ACTIONS, "ACTION")) {
      case "list":
        return list(context);
      case "show":
        return show(context);
      case "export":
        return exportConversations(context, await filterOf(context));
      default:
        throw new UsageError("ACTION is missing");
    }
  },
};

async function filterOf({ client, options }: CommandContext) {
  const now = Date.now();
  return {
    agent_id: await agentOf(client(), options.text("agent")),
    ...given({
      text: options.text("text"),
      user_id: options.text("user"),
      anonymous_id: options.text("anonymous"),
      channel: oneOf(options.text("channel"), ConversationChannel.options, "--channel"),
      control: oneOf(options.text("control"), CONTROL, "--control"),
      outcome: oneOf(options.text("outcome"), ConversationOutcome.options, "--outcome"),
      from_time: timeFrom(options.text("since"), "--since", now),
      to_time: timeFrom(options.text("until"), "--until", now),
    }),
  };
}

async function list(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const wanted = wholeNumber(options.text("limit"), "--limit") ?? 50;
  const filter = await filterOf(context);
  const found: ConversationEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client().conversations.search({
      ...filter,
      with_last_message: true,
      limit: Math.min(100, wanted - found.length),
      ...given({ cursor: cursor ?? undefined }),
    });
    found.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < wanted);
  output.result({ list: found }, () => {
    if (found.length === 0) return output.line("No conversation fits.");
    const rows = found.map((entry) => [
      timeText(entry.create_time),
      entry.outcome,
      entry.channel,
      String(entry.message_count),
      entry.user_id ?? entry.anonymous_id ?? "",
      entry.conversation_id,
      entry.last_message?.text ?? "",
    ]);
    const headings = ["begun (UTC)", "outcome", "channel", "messages", "user", "conversation_id", "last"];
    output.table(headings, rows);
    if (cursor !== null) output.note("There are more: raise --limit, or narrow with --since.");
  });
  return EXIT_CODES.ok.code;
}

async function show(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const conversation_id = required(context.arguments[1], "CONVERSATION");
  const agent_id = await agentOf(client(), options.text("agent"));
  const shown = await readConversation(context, { agent_id, conversation_id });
  output.result(shown, () => {
    const { channel, outcome, user_id, anonymous_id, create_time } = shown;
    const user = user_id ?? anonymous_id ?? "nobody named";
    output.line(`${outcome}, on ${channel}, with ${user}, begun ${timeText(create_time)} UTC\n`);
    output.table(["at (UTC)", "who", "what"], shown.list.map(lineOf));
  });
  return EXIT_CODES.ok.code;
}

function lineOf(item: TimelineItem): string[] {
  if (item.kind === "rating") return [timeText(item.time), "user", `rated ${ratingText(item)}`];
  const delivered = item.deliveries.map(({ state, cause }) =>
    cause === null ? state : `${state}: ${cause}`,
  );
  const what =
    item.kind === "message"
      ? item.text + (item.rating === null ? "" : `  (rated ${ratingText(item.rating)})`)
      : `handoff ${item.step}${item.step === "ended" ? ` (${item.handoff.reason})` : ""}`;
  const who = item.kind === "message" ? item.sender : "";
  return [timeText(item.time), who, delivered.length === 0 ? what : `${what}  [${delivered.join(", ")}]`];
}

function ratingText({ rating, comment }: { rating: string; comment: string | null }): string {
  return comment === null ? rating : `${rating}: ${comment}`;
}
