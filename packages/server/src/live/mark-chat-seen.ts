import type { Acknowledged, InputOf } from "@signalbox/contract";
import type { AgentDatabase, ChatCaller, Refusal } from "../platform/index.ts";
import { refuseForeign } from "./own-conversation.ts";

export interface SeenParts {
  agents: AgentDatabase;
  /** For the humans who answer. */
  markSeen: (caller: ChatCaller, seen: InputOf<"markChatSeen">) => Promise<Acknowledged | Refusal>;
}

/** The user's page has shown what was said, up to one message. */
export async function markChatSeen(
  { agents, markSeen }: SeenParts,
  caller: ChatCaller,
  seen: InputOf<"markChatSeen">,
): Promise<Acknowledged | Refusal> {
  return (await refuseForeign(agents, caller, seen.conversation_id)) ?? markSeen(caller, seen);
}
