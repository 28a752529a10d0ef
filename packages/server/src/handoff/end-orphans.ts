import { sql } from "kysely";
import { makeCalls, type Engine } from "../engine/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { transition } from "./machine.ts";
import { lengthsOf, openScene } from "./scene.ts";

const BATCH_MAX = 1_000;

interface Orphan {
  agent_id: string;
  conversation_id: string;
  id: string;
}

/** Decisions, 4.5 to 4.8: a component or an agent was deleted, so its open handoffs end, and the users are told. */
export async function endOrphans(
  { db, engine }: { db: Database; engine: Engine },
  agentId?: string,
): Promise<number> {
  const { rows } = await sql<Orphan>`
    select h.agent_id, h.conversation_id, h.id from handoff h
    join webhook w on w.id = h.component_id join agent a on a.id = h.agent_id
    where h.state in ('requested', 'connecting', 'active') and (w.deleted_at is not null or a.deleted_at is not null)
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
    const event = { kind: "desk_removed", at: scene.conversation.at } as const;
    const step = transition(kept.handoff, event, lengthsOf(scene));
    return step.kind === "moved" ? applyStep(db, scene, kept, step) : [];
  });
  await makeCalls(engine, calls);
}
