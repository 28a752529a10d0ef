import { sql } from "kysely";
import { makeCalls, type Engine } from "../engine/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { transition } from "./machine.ts";
import { lengthsOf, openScene, reachesUser } from "./scene.ts";

const BATCH_MAX = 1_000;

interface Orphan {
  agent_id: string;
  conversation_id: string;
  id: string;
  is_desk_gone: boolean;
}

/**
 * Decisions, 4.5 to 4.8: a component, an agent or the webhook that a human's replies need was deleted, so open handoffs end, and
 * the users are told as far as anything reaches them.
 */
export async function endOrphans(
  { db, engine }: { db: Database; engine: Engine },
  agentId?: string,
): Promise<number> {
  const { rows } = await sql<Orphan>`
    select h.agent_id, h.conversation_id, h.id, w.deleted_at is not null or a.deleted_at is not null as is_desk_gone
    from handoff h join webhook w on w.id = h.component_id join agent a on a.id = h.agent_id
    left join webhook m on m.agent_id = h.agent_id and m.kind = 'message' and m.deleted_at is null
    where h.state in ('requested', 'connecting', 'active')
      and (w.deleted_at is not null or a.deleted_at is not null or (m.id is null and exists (
        select from conversation c where c.agent_id = h.agent_id and c.id = h.conversation_id and c.channel = 'api')))
      ${agentId === undefined ? sql`` : sql`and h.agent_id = ${agentId}`}
    limit ${BATCH_MAX}`.execute(db);
  for (const orphan of rows) await endOne({ db, engine }, orphan);
  return rows.length;
}

async function endOne({ db, engine }: { db: Database; engine: Engine }, orphan: Orphan): Promise<void> {
  const calls = await inTransaction(db, async (db) => {
    const scene = await openScene(db, orphan.agent_id, orphan.conversation_id, orphan.id);
    const kept = scene?.kept;
    if (scene === undefined || kept === undefined) return [];
    // A webhook may have been configured again meanwhile; a component that is deleted stays so.
    if (!orphan.is_desk_gone && reachesUser(scene)) return [];
    const kind = orphan.is_desk_gone ? "desk_removed" : "webhook_removed";
    const step = transition(kept.handoff, { kind, at: scene.conversation.at }, lengthsOf(scene));
    return step.kind === "moved" ? applyStep(db, scene, kept, step) : [];
  });
  await makeCalls(engine, calls);
}
