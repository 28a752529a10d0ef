import type { ChatBegun } from "@signalbox/contract";
import { boundUser } from "../conversations/index.ts";
import {
  newId,
  once,
  refuse,
  type AgentDatabase,
  type ChatCaller,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";

export function beginChat(
  { agents, sealer }: { agents: AgentDatabase; sealer: Sealer },
  caller: ChatCaller,
): Promise<ChatBegun | Refusal> {
  const { agentId, userId, anonymousId, email, phone } = caller;
  return agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const agent = await db
        .selectFrom("agent")
        .select("id")
        .where("id", "=", agentId)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (agent === undefined) return refuse("agentDeleted");
      const isVisitor = userId === null && anonymousId !== null;
      const id = newId();
      await db
        .insertInto("conversation")
        .values({
          agent_id: agentId,
          id,
          channel: "widget",
          user_id: isVisitor ? await boundUser(db, agentId, anonymousId, "WIDGET") : userId,
          follows_binding: isVisitor,
          anonymous_id: anonymousId,
          email,
          phone,
        })
        .execute();
      return { conversation_id: id };
    }),
  );
}
