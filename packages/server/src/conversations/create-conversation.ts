import type { CreateConversationReply, InputOf } from "@signalbox/contract";
import {
  aboutUser,
  newId,
  once,
  type AgentCaller,
  type AgentDatabase,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { boundUser } from "./user-bindings.ts";

export interface ConversationParts {
  agents: AgentDatabase;
  sealer: Sealer;
}

export function createConversation(
  { agents, sealer }: ConversationParts,
  caller: AgentCaller,
  { user_id, anonymous_id, email, phone }: InputOf<"createConversation">,
): Promise<CreateConversationReply | Refusal> {
  const anonymousIds = anonymous_id ? [anonymous_id] : [];
  const about = aboutUser(caller.agentId, { userId: user_id, anonymousIds });
  return agents.asAgent(caller.agentId, (db) =>
    once(db, sealer, { ...caller, about }, async (db) => {
      const id = newId();
      const follows_binding = !user_id;
      const bound =
        follows_binding && anonymous_id ? await boundUser(db, caller.agentId, anonymous_id, "API") : null;
      await db
        .insertInto("conversation")
        .values({
          agent_id: caller.agentId,
          id,
          channel: "api",
          user_id: user_id ?? bound,
          follows_binding,
          anonymous_id: anonymous_id ?? null,
          email: email ?? null,
          phone: phone ?? null,
        })
        .execute();
      return { conversation_id: id };
    }),
  );
}
