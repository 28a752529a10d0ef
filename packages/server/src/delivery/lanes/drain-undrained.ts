import { sql } from "kysely";
import type { Work } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import type { DrainLane } from "./drain.ts";

/**
 * Drains the due lanes of a conversation that no other call holds. Their waker died before it could, or was this very
 * call, which is made again.
 */
export async function drainUndrained(
  { db, drain }: { db: Database; drain: DrainLane },
  { agentId, id: conversationId, callId, ended }: Work,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from lane
    where agent_id = ${agentId} and conversation_id = ${conversationId} and state = 'awake' and due_at <= now()
      and (held_until is null or held_until <= now() or held_by = ${callId})`.execute(db);
  await Promise.all(rows.map(({ id }) => drain({ agentId, id, callId, ended })));
}
