import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { Settled, Settlement } from "./settle.ts";

/**
 * What the tables say of outcomes that may have been written: an attempt is logged with its outcome. It counted if its delivery is as the
 * outcome says. Undefined where it is not there.
 */
export async function findSettled(db: Database, settlements: Settlement[]): Promise<(Settled | undefined)[]> {
  const { rows } = await sql<{ place: number; is_held: boolean; tail_seq: number }>`
    select asked.place::integer as place, l.tail_seq, exists (
      select from delivery where agent_id = asked.agent_id and lane_id = asked.lane_id and seq = asked.seq
        and created_at = asked.created_at and id = asked.delivery_id and state = asked.state and attempts = asked.number
    ) as is_held
    from unnest(
      ${settlements.map(({ agentId }) => agentId)}::uuid[], ${settlements.map(({ laneId }) => laneId)}::uuid[],
      ${settlements.map(({ seq }) => seq)}::bigint[], ${settlements.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${settlements.map(({ deliveryId }) => deliveryId)}::uuid[], ${settlements.map(({ state }) => state)}::text[],
      ${settlements.map(({ attempt }) => attempt.number)}::integer[], ${settlements.map(({ attempt }) => attempt.id)}::uuid[]
    ) with ordinality as asked(agent_id, lane_id, seq, created_at, delivery_id, state, number, attempt_id, place),
    lateral (
      select from attempt where agent_id = asked.agent_id and delivery_id = asked.delivery_id and id = asked.attempt_id limit 1
    ) a,
    lateral (select tail_seq from lane where agent_id = asked.agent_id and id = asked.lane_id) l`.execute(db);
  const found = new Map(rows.map((row) => [row.place, row]));
  return settlements.map((_, index) => {
    const row = found.get(index + 1);
    if (row === undefined) return undefined;
    return row.is_held ? { held: true, tailSeq: row.tail_seq } : { held: false };
  });
}
