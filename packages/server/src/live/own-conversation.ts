import { sql } from "kysely";
import { refuse, type AgentDatabase, type ChatUser, type Database, type Refusal } from "../platform/index.ts";

interface Row {
  channel: string;
  is_theirs: boolean;
  follows_binding: boolean;
  agent_is_gone: boolean;
}

/**
 * A conversation that a signed-in user began or went on with is that user's alone: `follows_binding` is false. One that a
 * visitor began is open to the anonymous id, and to the user it is bound to or, while it is bound to nobody, who names both ids.
 */
export const IS_THEIRS = sql<boolean>`coalesce(case
    when not c.follows_binding then c.user_id = given.user_id
    when given.user_id is null then c.anonymous_id = given.anonymous_id
    when c.user_id is null then c.anonymous_id = given.anonymous_id
    else c.user_id = given.user_id
  end, false)`;

/** Decisions: another user's conversation is 40358; none of this agent's live ones is 40356. */
export function refuseForeign(
  agents: AgentDatabase,
  { agentId, userId, anonymousId }: ChatUser,
  conversationId: string,
): Promise<Refusal | undefined> {
  return agents.asAgent(agentId, async (db) => {
    const { rows } = await sql<Row>`
      select c.channel, ${IS_THEIRS} as is_theirs, c.follows_binding,
        not exists (select from agent where id = ${agentId} and deleted_at is null) as agent_is_gone
      from conversation c, (values (${userId}::text, ${anonymousId}::text)) as given(user_id, anonymous_id)
      where c.agent_id = ${agentId} and c.id = ${conversationId}`.execute(db);
    const [row] = rows;
    if (row === undefined || row.channel === "api")
      return refuse("unknownConversation", "create a conversation with POST /chat/v1/conversations");
    if (row.agent_is_gone) return refuse("agentDeleted");
    if (!row.is_theirs) return foreign();
    if (userId === null || !row.follows_binding) return undefined;
    return (await takeOver(db, { agentId, userId, conversationId })) ? undefined : foreign();
  });
}

/** What a user says once signed in is not the visitor's any more: neither the anonymous id nor a later binding opens it. */
async function takeOver(
  db: Database,
  { agentId, userId, conversationId }: { agentId: string; userId: string; conversationId: string },
): Promise<boolean> {
  const { rows } = await sql`
    update conversation set user_id = ${userId}, follows_binding = false
    where agent_id = ${agentId} and id = ${conversationId}
      and (user_id = ${userId} or (user_id is null and follows_binding))
    returning id`.execute(db);
  return rows.length > 0;
}

/** The places of the streams whose conversation is no longer their user's. */
export async function readForeign(
  db: Database,
  streams: readonly { user: ChatUser; conversationId: string }[],
): Promise<number[]> {
  type Stream = (typeof streams)[number];
  const column = <Value>(read: (stream: Stream, place: number) => Value) => streams.map(read);
  const { rows } = await sql<{ place: number }>`
    select given.place
    from unnest(${column((_, place) => place)}::integer[], ${column(({ user }) => user.agentId)}::uuid[],
      ${column(({ conversationId }) => conversationId)}::uuid[], ${column(({ user }) => user.userId)}::text[],
      ${column(({ user }) => user.anonymousId)}::text[])
      as given(place, agent_id, conversation_id, user_id, anonymous_id)
    join conversation c on c.agent_id = given.agent_id and c.id = given.conversation_id
    where not ${IS_THEIRS}`.execute(db);
  return rows.map(({ place }) => place);
}

function foreign(): Refusal {
  return refuse(
    "foreignConversation",
    "use a chat token of the user it belongs to, or create a new conversation",
  );
}
