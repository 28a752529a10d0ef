import { sql } from "kysely";
import { objectKey, type Engine, type Sweep } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";

const BATCH_MAX = 1_000;
const AUDIT_EVERY_MS = 300_000;

/** Lanes that have work and made no sound for longer than the grace: their call was lost, or the engine was. */
export function laneSweeps({
  db,
  engine,
  graceMs,
}: {
  db: Database;
  engine: Engine;
  graceMs: number;
}): Sweep[] {
  async function wake(lanes: { agent_id: string; id: string }[]): Promise<number> {
    await Promise.all(lanes.map(({ agent_id, id }) => engine.send("lane", "drain", objectKey(agent_id, id))));
    return lanes.length;
  }

  return [
    {
      name: "lanes_overdue",
      // The beat is set anew, so that a lane is called once a grace and not once a tick.
      // Materialized: a join may run a limited subquery again, and lock others each time.
      run: async () => {
        const { rows } = await sql<{ agent_id: string; id: string }>`
          with overdue as materialized (
            select agent_id, id from lane
            where state = 'awake' and greatest(due_at, beat_at) < now() - ${graceMs} * interval '1 millisecond'
            order by id limit ${BATCH_MAX} for update skip locked
          )
          update lane l set beat_at = now()
          from overdue
          where l.agent_id = overdue.agent_id and l.id = overdue.id and l.state = 'awake'
          returning l.agent_id, l.id`.execute(db);
        return wake(rows);
      },
    },
    {
      name: "lanes_idle_with_pending",
      everyMs: AUDIT_EVERY_MS,
      run: async () => {
        const { rows } = await sql<{ agent_id: string; id: string }>`
          update lane set state = 'awake', due_at = now(), beat_at = now(), awake_since = now()
          where state = 'idle' and done_seq < tail_seq
          returning agent_id, id`.execute(db);
        return wake(rows);
      },
    },
  ];
}
