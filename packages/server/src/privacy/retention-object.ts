import type { RetentionAction } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey, type Engine, type EngineObject, type Sweep, type Work } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import type { ServiceRetention } from "./retention.ts";

export interface RetentionParts {
  db: Database;
  engine: Engine;
  retention: ServiceRetention;
  stopping: AbortSignal;
}

/** Conversations looked at in one transaction. */
const BATCH_MAX = 200;
const RUN_MS = 20_000;
const LONGEST_MS = 60_000;
const LOOK_EVERY_MS = 60_000;
const AGENTS_MAX = 1_000;

interface Position {
  at: Date;
  id: string;
}

const BEGINNING: Position = { at: new Date(0), id: "00000000-0000-0000-0000-000000000000" };

/** Lets an agent's old conversations go, oldest first, until none is left or time is up; the next look of the sweep goes on. */
export function retentionObject({ db, retention, stopping }: RetentionParts): EngineObject {
  async function expire({ agentId, ended }: Work): Promise<void> {
    const kept = await readKept(db, agentId, retention);
    if (kept === undefined) return;
    const begun = performance.now();
    await sql`select signalbox_expire_questions(${agentId}, ${kept.days})`.execute(db);
    let after: Position | null = BEGINNING;
    while (after !== null && !ended.aborted && !stopping.aborted && performance.now() - begun < RUN_MS)
      after = await expireBatch(db, agentId, kept, after);
  }
  return { name: "retention", longestMs: LONGEST_MS, handlers: { expire } };
}

async function readKept(
  db: Database,
  agentId: string,
  service: ServiceRetention,
): Promise<{ days: number; action: RetentionAction } | undefined> {
  const { rows } = await sql<{ days: number | null; action: RetentionAction }>`
    select coalesce(retention_days, ${service.days ?? null}) as days, coalesce(retention_action, ${service.action}) as action
    from agent where id = ${agentId}`.execute(db);
  const { days = null, action = service.action } = rows[0] ?? {};
  return days === null ? undefined : { days, action };
}

/** Null when there is nothing behind it. */
async function expireBatch(
  db: Database,
  agentId: string,
  { days, action }: { days: number; action: RetentionAction },
  after: Position,
): Promise<Position | null> {
  const { rows } = await sql<{ last_at: Date | null; last_id: string | null }>`
    select last_at, last_id from signalbox_expire_conversations(
      ${agentId}, ${days}, ${action === "redact"}, ${after.at}, ${after.id}, ${BATCH_MAX})`.execute(db);
  const { last_at: at = null, last_id: id = null } = rows[0] ?? {};
  return at === null || id === null ? null : { at, id };
}

/** Agents that have something older than they keep it. One conversation that is old and open brings its agent here each time. */
export function retentionSweep({
  db,
  engine,
  retention,
}: Pick<RetentionParts, "db" | "engine" | "retention">): Sweep {
  return {
    name: "conversations_past_retention",
    everyMs: LOOK_EVERY_MS,
    run: async () => {
      const { rows } = await sql<{ id: string }>`
        select a.id from (
          select id, now() - make_interval(days => coalesce(retention_days, ${retention.days ?? null})) as cutoff from agent
        ) a
        where a.cutoff is not null and (
          exists (select from conversation c where c.agent_id = a.id and c.redacted_at is null and c.created_at < a.cutoff)
          or exists (select from unanswered_question q where q.agent_id = a.id and q.last_asked_at < a.cutoff))
        limit ${AGENTS_MAX}`.execute(db);
      await Promise.all(rows.map(({ id }) => engine.send("retention", "expire", objectKey(id, id))));
      return rows.length;
    },
  };
}

const LANES_EVERY_MS = 600_000;
const LANES_MAX = 1_000;

/** What an erasure stopped is shown for as long as any delivery is. */
export function orphanedLanesSweep({ db, retentionDays }: { db: Database; retentionDays: number }): Sweep {
  return {
    name: "lanes_of_erased_conversations",
    everyMs: LANES_EVERY_MS,
    run: async () => {
      const { rows } = await sql<{ dropped: number }>`
        select signalbox_drop_orphaned_lanes(${retentionDays}, ${LANES_MAX}) as dropped`.execute(db);
      return rows[0]?.dropped ?? 0;
    },
  };
}
