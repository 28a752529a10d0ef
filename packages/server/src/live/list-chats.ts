import { PREVIEW_MAX_CHARACTERS, type ChatList } from "@signalbox/contract";
import { sql } from "kysely";
import type { AgentDatabase, ChatCaller } from "../platform/index.ts";
import { IS_THEIRS } from "./own-conversation.ts";

const LISTED_MAX = 20;

interface Row {
  id: string;
  created_at: Date;
  sender: "user" | "ai" | "human" | "system";
  text: string;
  said_at: Date;
}

/** The user's own conversations in which something was said, newest first. */
export function listChats(
  { agents }: { agents: AgentDatabase },
  { agentId, userId, anonymousId }: ChatCaller,
): Promise<ChatList> {
  return agents.asAgent(agentId, async (db) => {
    // Both ids are compared once more, because each has an index.
    const { rows } = await sql<Row>`
      select c.id, c.created_at, m.sender, left(m.text, ${PREVIEW_MAX_CHARACTERS}) as text, m.created_at as said_at
      from (
        select c.id, c.agent_id, c.created_at, c.last_seq
        from conversation c, (values (${userId}::text, ${anonymousId}::text)) as given(user_id, anonymous_id)
        where c.agent_id = ${agentId} and (c.user_id = ${userId} or c.anonymous_id = ${anonymousId})
          and c.channel = 'widget' and c.redacted_at is null and c.last_seq > 0 and ${IS_THEIRS}
        order by c.created_at desc, c.id desc limit ${LISTED_MAX}
      ) c join message m on m.agent_id = c.agent_id and m.conversation_id = c.id and m.seq = c.last_seq
      order by c.created_at desc, c.id desc`.execute(db);
    return {
      list: rows.map(({ id, created_at, sender, text, said_at }) => ({
        conversation_id: id,
        create_time: created_at.getTime(),
        last_message: { sender, text, create_time: said_at.getTime() },
      })),
    };
  });
}
