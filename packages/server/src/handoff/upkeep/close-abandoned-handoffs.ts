import { sql } from "kysely";
import { actAfterCommit, type AfterCommitParts } from "../../engine/index.ts";
import { inTransaction, type Database } from "../../platform/index.ts";
import { advance } from "../steps/apply-step.ts";
import { lockConversation, reachesUser } from "../steps/lock-conversation.ts";

const BATCH_MAX = 1_000;

interface AbandonedHandoff {
  agent_id: string;
  conversation_id: string;
  id: string;
  is_desk_gone: boolean;
}

/**
 * Decisions, 4.5 to 4.8: closes open handoffs whose desk, agent or message webhook was deleted. Users are notified where a
 * notice still reaches them.
 */
export async function closeAbandonedHandoffs(
  parts: AfterCommitParts & { db: Database },
  agentId?: string,
): Promise<number> {
  const { rows } = await sql<AbandonedHandoff>`
    select h.agent_id, h.conversation_id, h.id, w.deleted_at is not null or a.deleted_at is not null as is_desk_gone
    from handoff h join webhook w on w.id = h.component_id join agent a on a.id = h.agent_id
    left join webhook m on m.agent_id = h.agent_id and m.kind = 'message' and m.deleted_at is null
    where h.state in ('requested', 'connecting', 'active')
      and (w.deleted_at is not null or a.deleted_at is not null or (m.id is null and exists (
        select from conversation c where c.agent_id = h.agent_id and c.id = h.conversation_id and c.channel = 'api')))
      ${agentId === undefined ? sql`` : sql`and h.agent_id = ${agentId}`}
    limit ${BATCH_MAX}`.execute(parts.db);
  for (const abandoned of rows) await closeOne(parts, abandoned);
  return rows.length;
}

async function closeOne(
  parts: AfterCommitParts & { db: Database },
  abandoned: AbandonedHandoff,
): Promise<void> {
  const calls = await inTransaction(parts.db, async (db) => {
    const locked = await lockConversation(db, abandoned.agent_id, abandoned.conversation_id, abandoned.id);
    const handoff = locked?.handoff;
    if (locked === undefined || handoff === undefined) return [];
    // A webhook may have been configured again meanwhile; a desk that is deleted stays so.
    if (!abandoned.is_desk_gone && reachesUser(locked)) return [];
    const kind = abandoned.is_desk_gone ? "desk_removed" : "webhook_removed";
    return advance(db, locked, handoff, { kind, at: locked.conversation.at });
  });
  await actAfterCommit(parts, calls);
}
