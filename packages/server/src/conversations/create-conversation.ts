import type { CreateConversationReply, InputOf } from "@signalbox/contract";
import {
  newId,
  once,
  type AgentCaller,
  type AgentDatabase,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";

export interface ConversationParts {
  agents: AgentDatabase;
  sealer: Sealer;
}

export function createConversation(
  { agents, sealer }: ConversationParts,
  caller: AgentCaller,
  { user_id, anonymous_id, email, phone }: InputOf<"createConversation">,
): Promise<CreateConversationReply | Refusal> {
  return agents.asAgent(caller.agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const id = newId();
      await db
        .insertInto("conversation")
        .values({
          agent_id: caller.agentId,
          id,
          channel: "api",
          user_id,
          anonymous_id: anonymous_id ?? null,
          email: email ?? null,
          phone: phone ?? null,
        })
        .execute();
      return { conversation_id: id };
    }),
  );
}
