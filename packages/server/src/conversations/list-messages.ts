import {
  shownPart,
  type AnswerSource,
  type InputOf,
  type MessageAttachment,
  type MessagePage,
  type ShownPart,
} from "@signalbox/contract";
import { refuse, type AgentCaller, type AgentDatabase, type Refusal } from "../platform/index.ts";

/** What was said in a conversation, oldest first; that of people and notices too, each under its branch. */
export function listMessages(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { conversation_id, page, page_size }: InputOf<"listMessages">,
): Promise<MessagePage | Refusal> {
  return agents.asAgent(agentId, async (db) => {
    const conversation = await db
      .selectFrom("conversation")
      .select("last_seq")
      .where("agent_id", "=", agentId)
      .where("id", "=", conversation_id)
      .executeTakeFirst();
    if (conversation === undefined) return refuse("unknownConversation");
    // Numbers have no gaps, so that a page is found by them, however long the conversation is.
    const before = (page - 1) * page_size;
    const rows = await db
      .selectFrom("message")
      .select(["id", "sender", "branch", "text", "attachments", "sources", "created_at"])
      .where("agent_id", "=", agentId)
      .where("conversation_id", "=", conversation_id)
      .where("seq", ">", before)
      .where("seq", "<=", before + page_size)
      .orderBy("seq")
      .execute();
    return {
      total: conversation.last_seq,
      conversation_content: rows.map(({ id, sender, branch, text, attachments, sources, created_at }) => ({
        message_id: id,
        create_time: created_at.getTime(),
        role: sender === "user" ? "user" : "assistant",
        sources: (sources as AnswerSource[] | null) ?? [],
        content: [
          {
            from_component_branch: branchOf(branch, sender),
            branch_content: partsOf(text, attachments as MessageAttachment[] | null),
          },
        ],
      })),
    };
  });
}

function partsOf(text: string, attachments: MessageAttachment[] | null): ShownPart[] {
  const files = (attachments ?? []).map(shownPart);
  return text === "" && files.length > 0 ? files : [{ type: "text", text }, ...files];
}

/** The specification knows no branch of its own for small talk. */
function branchOf(branch: string | null, sender: string): string {
  return branch === "small_talk" ? "direct" : (branch ?? BRANCH_OF_SENDER[sender] ?? "");
}

const BRANCH_OF_SENDER: Readonly<Record<string, string>> = { human: "human", system: "notice" };
