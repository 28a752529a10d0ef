import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";

/**
 * The user of a conversation is erased: what waits in its lanes is given up without its body, and an attempt under way counts for
 * nothing. Says how many were stopped. The caller holds the locks of the conversation and its lanes.
 */
export async function stopDeliveries(db: Database, agentId: string, conversationId: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with waiting as (
      select id, done_seq from lane where agent_id = ${agentId} and conversation_id = ${conversationId}
    ),
    stopped as (
      update lane l set done_seq = l.tail_seq, state = 'idle', fence = l.fence + 1, held_until = null, trying = false, blocked_since = null
      from waiting where l.agent_id = ${agentId} and l.id = waiting.id
    )
    update delivery d set state = 'dead', cause = 'erased', body = '', finished_at = now() from waiting
    where d.agent_id = ${agentId} and d.lane_id = waiting.id and d.seq > waiting.done_seq and d.state = 'pending'
    returning d.id`.execute(db);
  return rows.length;
}
