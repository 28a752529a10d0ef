import { sql, type RawBuilder } from "kysely";
import { objectKey, type AfterCommitParts, type Sweep } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { SET_BACK_MS } from "../machine/timers.ts";
import { closeAbandonedHandoffs } from "./close-abandoned-handoffs.ts";

const BATCH_MAX = 1_000;
const ABANDONED_EVERY_MS = 10_000;

/** Handoffs whose time has come, or is unknown because the clock was set back, and at which nobody looked; and those whose desk was deleted. */
export function handoffSweeps(parts: AfterCommitParts & { db: Database; graceMs: number }): Sweep[] {
  const { db, engine, graceMs } = parts;
  const grace = sql`${graceMs} * interval '1 millisecond'`;
  const setBack = sql`${SET_BACK_MS} * interval '1 millisecond'`;
  const callThose = async (where: RawBuilder<boolean>, first: RawBuilder<unknown>) => {
    // The call is noted, so that a handoff is called once a grace and not once a tick.
    const { rows } = await sql<{ agent_id: string; id: string }>`
      with overdue as materialized (
        select agent_id, id from handoff
        where ${where} and (timer_call_at is null or timer_call_at not between now() - ${grace} and now() + ${grace})
        order by ${first} limit ${BATCH_MAX} for update skip locked
      )
      update handoff h set timer_call_at = now()
      from overdue where h.agent_id = overdue.agent_id and h.id = overdue.id
      returning h.agent_id, h.id`.execute(db);
    await Promise.all(
      rows.map(({ agent_id, id }) => engine.send("handoff", "look", objectKey(agent_id, id))),
    );
    return rows.length;
  };
  return [
    {
      name: "handoffs_not_looked_at",
      run: () => callThose(sql`timer_wake_at < now() - ${grace}`, sql`timer_wake_at`),
    },
    {
      name: "handoffs_set_in_the_future",
      run: () => callThose(sql`timer_set_at > now() + ${setBack}`, sql`timer_set_at desc`),
    },
    {
      name: "handoffs_without_a_desk",
      everyMs: ABANDONED_EVERY_MS,
      run: () => closeAbandonedHandoffs(parts),
    },
  ];
}
