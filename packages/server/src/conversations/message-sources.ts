import type { AnswerSource, InputOf, MessageSources } from "@signalbox/contract";
import { refuse, type AgentCaller, type AgentDatabase, type Refusal } from "../platform/index.ts";

/** What an answer stands on, for those who were given it by 4.5, whose body is fixed. */
export function getMessageSources(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { message_id }: InputOf<"getMessageSources">,
): Promise<MessageSources | Refusal> {
  return agents.asAgent(agentId, async (db) => {
    const message = await db
      .selectFrom("message")
      .select(["conversation_id", "sources"])
      .where("agent_id", "=", agentId)
      .where("id", "=", message_id)
      .executeTakeFirst();
    if (message === undefined)
      return refuse("notFound", "this agent has no message with this message_id; it may be erased");
    const { conversation_id, sources } = message;
    return { conversation_id, message_id, sources: (sources as AnswerSource[] | null) ?? [] };
  });
}
