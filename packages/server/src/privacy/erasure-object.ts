import type { ErasedCounts } from "@signalbox/contract";
import { sql } from "kysely";
import {
  actAfterCommit,
  objectKey,
  type AfterCommitParts,
  type Engine,
  type EngineObject,
  type Sweep,
  type Work,
} from "../engine/index.ts";
import { endForErasure } from "../handoff/index.ts";
import { inTransaction, OPERATOR_SCOPE, type Database } from "../platform/index.ts";
import { purgeAgent } from "./erase-agents.ts";
import { isAbout, rememberedAs, type Subject } from "./subject.ts";

export interface ErasureParts extends AfterCommitParts {
  db: Database;
  graceDays: number;
  stopping: AbortSignal;
}

/** Each goes in a transaction of its own; what is left of them goes together. */
const CONVERSATIONS_TOGETHER = 50;
/** Rows of one table in one transaction. */
const ROWS_TOGETHER = 5_000;
const RUN_MS = 10_000;
const LONGEST_MS = 60_000;

/** An erasure in short transactions. Each records its progress: the call that takes the next one needs nothing else. */
export function erasureObject(parts: ErasureParts): EngineObject {
  async function step({ id, ended }: Work): Promise<void> {
    const begun = performance.now();
    while (await takeStep(parts, id)) {
      if (!ended.aborted && !parts.stopping.aborted && performance.now() - begun < RUN_MS) continue;
      await parts.engine.send("erasure", "step", objectKey(OPERATOR_SCOPE, id));
      return;
    }
  }
  return { name: "erasure", longestMs: LONGEST_MS, handlers: { step } };
}

interface RunningRow {
  agent_id: string;
  scope: Subject["scope"] | "agent";
  subject_id: string | null;
  conversation_ids: string[];
}

/** True while there is more to do. */
async function takeStep(parts: ErasureParts, id: string): Promise<boolean> {
  const { db } = parts;
  const { rows } = await sql<RunningRow>`
    update erasure set next_step_at = now() where id = ${id} and state = 'running'
    returning agent_id, scope, subject_id, conversation_ids`.execute(db);
  const row = rows[0];
  if (row === undefined) return false;
  if (row.scope === "agent") return purgeAgent(parts, id, row.agent_id);
  if (row.conversation_ids.length > 0) {
    await eraseRest(db, id, row.agent_id, row.conversation_ids);
    return true;
  }
  if (row.subject_id === null) throw new Error("an erasure that runs has lost whom it is about");
  const subject: Subject = { agentId: row.agent_id, scope: row.scope, id: row.subject_id };
  const next = await sql<{ id: string }>`
    select id from conversation where ${isAbout(subject)} order by id limit ${CONVERSATIONS_TOGETHER}`.execute(
    db,
  );
  if (next.rows.length === 0) return !(await finish(db, id, subject));
  for (const conversation of next.rows) await eraseConversation(parts, id, subject.agentId, conversation.id);
  return true;
}

/** From its commit on the conversation is gone for everybody: nothing is said in it, sent of it or shown of it. */
async function eraseConversation(
  parts: ErasureParts,
  id: string,
  agentId: string,
  conversationId: string,
): Promise<void> {
  const calls = await inTransaction(parts.db, async (db) => {
    const ended = await endForErasure(db, agentId, conversationId);
    if (ended === undefined) return [];
    const { rows } = await sql<{ erased: boolean }>`
      select signalbox_erase_conversation(${id}, ${conversationId}) as erased`.execute(db);
    if (rows[0]?.erased !== true)
      throw new Error("a conversation belongs to another user by now; it is looked for anew");
    await addUp(db, id, { deliveries_stopped: ended.stopped });
    return ended.calls;
  });
  await actAfterCommit(parts, calls);
}

/** Erases the rest of conversations that are gone, a part at a time. */
async function eraseRest(
  db: Database,
  id: string,
  agentId: string,
  conversationIds: string[],
): Promise<void> {
  await inTransaction(db, async (db) => {
    await sql`select from erasure where id = ${id} for update`.execute(db);
    const { rows } = await sql<{ rest: Partial<ErasedCounts> & { more: boolean } }>`
      select signalbox_erase_rest(${agentId}, ${conversationIds}::uuid[], ${ROWS_TOGETHER}, true) as rest`.execute(
      db,
    );
    const { more = false, ...counts } = rows[0]?.rest ?? {};
    await addUp(db, id, more ? counts : { ...counts, conversations: conversationIds.length });
    if (!more) await db.updateTable("erasure").set({ conversation_ids: [] }).where("id", "=", id).execute();
  });
}

async function addUp(db: Database, id: string, counts: Partial<ErasedCounts>): Promise<void> {
  await sql`
    update erasure set erased = erased || (
      select coalesce(jsonb_object_agg(key, coalesce((erased->>key)::bigint, 0) + value::bigint), '{}')
      from jsonb_each_text(${JSON.stringify(counts)}::jsonb))
    where id = ${id}`.execute(db);
}

/** False when a conversation was begun meanwhile. */
async function finish(db: Database, id: string, subject: Subject): Promise<boolean> {
  const { rows } = await sql<{ finished: boolean }>`
    select signalbox_finish_erasure(${id}, ${rememberedAs(subject)}::uuid[]) as finished`.execute(db);
  return rows[0]?.finished ?? false;
}

/** An erasure whose next call was lost, or the worker with it; or whose last step lies where only a clock set back can have left it. */
export function erasureSweep({
  db,
  engine,
  graceMs,
}: {
  db: Database;
  engine: Engine;
  graceMs: number;
}): Sweep {
  const grace = sql`${graceMs} * interval '1 millisecond'`;
  return {
    name: "erasures_without_a_step",
    run: async () => {
      const { rows } = await sql<{ id: string }>`
        update erasure set next_step_at = now()
        where state = 'running' and next_step_at not between now() - ${grace} and now() + ${grace}
        returning id`.execute(db);
      await Promise.all(rows.map(({ id }) => engine.send("erasure", "step", objectKey(OPERATOR_SCOPE, id))));
      return rows.length;
    },
  };
}
