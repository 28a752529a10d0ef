import type { CurrentHandoff, InputOf } from "@signalbox/contract";
import type { AgentCaller, Refusal } from "../platform/index.ts";
import { readCurrent } from "./handoff-view.ts";
import { unknownConversation, type HandoffParts } from "./request-handoff.ts";

export async function getHandoff(
  { agents }: Pick<HandoffParts, "agents">,
  { agentId }: AgentCaller,
  { conversation_id }: InputOf<"getHandoff">,
): Promise<CurrentHandoff | Refusal> {
  const current = await agents.asAgent(agentId, (db) => readCurrent(db, agentId, conversation_id));
  return current ?? unknownConversation();
}
