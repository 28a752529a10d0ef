import { appendFile, writeFile } from "node:fs/promises";
import type { ConversationTimeline, SearchConversationsRequest, TimelineItem } from "@signalbox/contract";
import type { CommandContext } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";

/** A page is written when it is complete, so that its cursor leaves nothing out and repeats nothing. */
const PAGE_SIZE = 20;
const TIMELINE_PAGE_SIZE = 100;
const ONLY_BY_OWNER = 0o600;

type Filter = Omit<SearchConversationsRequest, "with_last_message" | "cursor" | "limit">;
type Exported = Omit<ConversationTimeline, "next_cursor">;

/** A line of JSON for each conversation, newest first, each with its whole timeline. */
export async function exportConversations(context: CommandContext, filter: Filter): Promise<ExitCode> {
  const { client, options, output } = context;
  const file = options.text("out");
  let cursor = options.text("cursor") ?? null;
  if (file !== undefined && cursor === null) await writeFile(file, "", { mode: ONLY_BY_OWNER });
  let exported = 0;
  try {
    do {
      const page = await client().conversations.search({
        ...filter,
        with_last_message: false,
        limit: PAGE_SIZE,
        ...given({ cursor: cursor ?? undefined }),
      });
      const lines: string[] = [];
      for (const { agent_id, conversation_id } of page.list)
        lines.push(JSON.stringify(await readConversation(context, { agent_id, conversation_id })));
      if (file === undefined) for (const line of lines) output.line(line);
      else if (lines.length > 0) await appendFile(file, `${lines.join("\n")}\n`);
      exported += lines.length;
      cursor = page.next_cursor;
    } while (cursor !== null);
  } catch (error) {
    if (cursor !== null)
      output.note(`Stopped after ${exported} conversations. Go on with --cursor ${cursor}`);
    throw error;
  }
  output.note(`Exported ${exported} conversations${file === undefined ? "" : ` to ${file}`}.`);
  return EXIT_CODES.ok.code;
}

export async function readConversation(
  { client }: Pick<CommandContext, "client">,
  named: { agent_id: string; conversation_id: string },
): Promise<Exported> {
  const items: TimelineItem[] = [];
  let cursor: string | null | undefined;
  for (;;) {
    const { next_cursor, ...shown } = await client().conversations.get({
      ...named,
      limit: TIMELINE_PAGE_SIZE,
      ...given({ cursor: cursor ?? undefined }),
    });
    items.push(...shown.list);
    if (next_cursor === null) return { ...shown, list: items };
    cursor = next_cursor;
  }
}
