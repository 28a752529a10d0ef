import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import {
  tellTyping,
  type AgentDatabase,
  type Broadcast,
  type ChatCaller,
  type Refusal,
} from "../platform/index.ts";
import { refuseForeign } from "./own-conversation.ts";

/** For the human the user has asked for; the agent need not know. Writes nothing. */
export async function typeInChat(
  { agents, broadcast }: { agents: AgentDatabase; broadcast: Pick<Broadcast, "tell"> },
  caller: ChatCaller,
  { conversation_id }: InputOf<"typeInChat">,
): Promise<Acknowledged | Refusal> {
  const foreign = await refuseForeign(agents, caller, conversation_id);
  if (foreign !== undefined) return foreign;
  const { agentId } = caller;
  const row = await agents.asAgent(agentId, (db) =>
    db
      .selectFrom("conversation")
      .select("handoff_id")
      .where("agent_id", "=", agentId)
      .where("id", "=", conversation_id)
      .executeTakeFirst(),
  );
  const handoffId = row?.handoff_id ?? undefined;
  if (handoffId !== undefined) tellTyping(broadcast, { by: "user", agentId, handoffId });
  return ACKNOWLEDGED;
}
