import { ACKNOWLEDGED, BINDINGS_MAX, type Acknowledged, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { aboutUser, audit, once, type AgentCaller, type Database, type Refusal } from "../platform/index.ts";
import type { ConversationParts } from "./create-conversation.ts";
import { holdAnonymousIds } from "./user-bindings.ts";

/**
 * Says whom anonymous ids stand for, from now on: what is said next in conversations that were begun without a user carries it.
 * An id that was another user's moves; a conversation whose user was named when it began keeps that one.
 */
export function setUserId(
  { agents, sealer }: ConversationParts,
  caller: AgentCaller,
  { user_id, anonymous_ids }: InputOf<"setUserId">,
): Promise<Acknowledged | Refusal> {
  const { agentId } = caller;
  const ids = new Map(
    anonymous_ids.map(({ anonymous_id, conversation_type, source_id }) => {
      const key = [anonymous_id, conversation_type, source_id ?? ""] as const;
      return [JSON.stringify(key), key];
    }),
  );
  const column = (place: 0 | 1 | 2) => [...ids.values()].map((id) => id[place]);
  const given = sql`unnest(${column(0)}::text[], ${column(1)}::text[], ${column(2)}::text[])
    as given(anonymous_id, conversation_type, source_id)`;
  const about = aboutUser(agentId, { userId: user_id, anonymousIds: column(0) });
  return agents.asAgent(agentId, (db) =>
    once(db, sealer, { ...caller, about }, async (db) => {
      await holdAnonymousIds(db, agentId, column(0), user_id);
      await sql`
        insert into user_binding (agent_id, anonymous_id, conversation_type, source_id, user_id)
        select ${agentId}::uuid, given.*, ${user_id} from ${given}
        on conflict (agent_id, anonymous_id, conversation_type, source_id) do update set
          user_id = excluded.user_id, bound_at = excluded.bound_at`.execute(db);
      await sql`
        update conversation set user_id = ${user_id}
        where agent_id = ${agentId} and id in (
          select c.id from conversation c join ${given}
            on c.anonymous_id = given.anonymous_id and upper(c.channel) = given.conversation_type and given.source_id = ''
          where c.agent_id = ${agentId} and c.follows_binding
          order by c.id for update of c
        )`.execute(db);
      await letGoOfOldest(db, agentId, user_id);
      const detail = { anonymous_ids: ids.size };
      await audit(db, caller, { action: "user.bind", agentId, subjectId: agentId, detail });
      return ACKNOWLEDGED;
    }),
  );
}

/** A user has BINDINGS_MAX anonymous ids: conversations begun later from the ids beyond it have no user. */
async function letGoOfOldest(db: Database, agentId: string, userId: string): Promise<void> {
  await sql`
    update user_binding set user_id = null
    where (agent_id, anonymous_id, conversation_type, source_id) in (
      select agent_id, anonymous_id, conversation_type, source_id from user_binding
      where agent_id = ${agentId} and user_id = ${userId}
      order by bound_at desc, anonymous_id, conversation_type, source_id offset ${BINDINGS_MAX}
      for update skip locked
    )`.execute(db);
}
