import { sql } from "kysely";
import { objectKey, type Engine, type Sweep } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";

const BATCH_MAX = 1_000;

/** What was said lately is moved from the pending list into the index of words, so that no insert has to do it. */
export function searchIndexSweep({ db }: { db: Database }): Sweep {
  return {
    name: "messages_to_index",
    run: async () => {
      await sql`select signalbox_index_messages()`.execute(db);
      // Nothing of it was forgotten.
      return 0;
    },
  };
}

/** Turns that are due and made no sound for longer than the grace, or whose last sound lies in the future: the clock was set back. */
export function turnSweeps({
  db,
  engine,
  graceMs,
}: {
  db: Database;
  engine: Engine;
  graceMs: number;
}): Sweep[] {
  const grace = sql`${graceMs} * interval '1 millisecond'`;
  return [
    {
      name: "turns_due",
      run: async () => {
        const { rows } = await sql<{ agent_id: string; id: string }>`
          with due as materialized (
            select agent_id, id from conversation
            where turn_awake and control = 'bot' and turn_beat_at not between now() - ${grace} and now() + ${grace}
            order by id limit ${BATCH_MAX} for update skip locked
          )
          update conversation c set turn_beat_at = now()
          from due
          where c.agent_id = due.agent_id and c.id = due.id and c.turn_awake
          returning c.agent_id, c.id`.execute(db);
        await Promise.all(
          rows.map(({ agent_id, id }) => engine.send("turn", "run", objectKey(agent_id, id))),
        );
        return rows.length;
      },
    },
  ];
}
