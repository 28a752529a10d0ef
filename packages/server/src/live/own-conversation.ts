import { sql } from "kysely";
import { refuse, type AgentDatabase, type ChatUser, type Refusal } from "../platform/index.ts";

interface Row {
  channel: string;
  user_id: string | null;
  anonymous_id: string | null;
  agent_is_gone: boolean;
}

/** Decisions: another user's conversation is 40358; none of this agent's live ones is 40356. */
export function refuseForeign(
  agents: AgentDatabase,
  { agentId, userId, anonymousId }: ChatUser,
  conversationId: string,
): Promise<Refusal | undefined> {
  return agents.asAgent(agentId, async (db) => {
    const { rows } = await sql<Row>`
      select channel, user_id, anonymous_id,
        not exists (select from agent where id = ${agentId} and deleted_at is null) as agent_is_gone
      from conversation where agent_id = ${agentId} and id = ${conversationId}`.execute(db);
    const [row] = rows;
    if (row === undefined || row.channel === "api")
      return refuse("unknownConversation", "begin one with POST /chat/v1/conversations");
    if (row.agent_is_gone) return refuse("agentDeleted");
    // Somebody who signed in goes on with what he began as a visitor, until it belongs to another.
    const isTheirs =
      userId !== null && row.user_id !== null
        ? row.user_id === userId
        : anonymousId !== null && row.anonymous_id === anonymousId;
    return isTheirs ? undefined : refuse("foreignConversation");
  });
}
