import { sql } from "kysely";
import { objectKey, type Engine } from "../../engine/index.ts";
import { derivedId, newId, type Database } from "../../platform/index.ts";
import { LANE_RAISED } from "../outbox/enqueue.ts";
import type { DeliveryRow } from "./delivery-filter.ts";

export type Replayed = Pick<
  DeliveryRow,
  "agent_id" | "lane_id" | "seq" | "created_at" | "id" | "replay_of" | "replay_seq"
>;

export interface WokenLane {
  agentId: string;
  laneId: string;
}

export interface EnqueuedReplays {
  deliveryIds: string[];
  woken: WokenLane[];
}

/** Replays of a lane have a lane of their own: they never stand before a live message, and keep their order. */
function replayLaneIdOf({ lane_id, replay_of }: Replayed): string {
  return replay_of === null ? derivedId("replay", lane_id) : lane_id;
}

/**
 * Sends deliveries again, as new rows that keep id, number and bytes of the first. Call it in the transaction that notes
 * that they are on their way: then a crash can neither forget one nor send it for a second time.
 */
export async function enqueueReplays(
  db: Database,
  asked: Replayed[],
  replayId: string | null,
): Promise<EnqueuedReplays> {
  const deliveries = await holdUnerased(db, asked);
  if (deliveries.length === 0) return { deliveryIds: [], woken: [] };
  const totals = new Map<string, number>();
  // The later of two accepted at once in one conversation may carry the earlier time.
  const items = deliveries
    .toSorted((a, b) => (a.replay_seq ?? a.seq) - (b.replay_seq ?? b.seq))
    .map((delivery) => {
      const laneId = replayLaneIdOf(delivery);
      const position = (totals.get(laneId) ?? 0) + 1;
      totals.set(laneId, position);
      return { ...delivery, laneId, position, newId: newId() };
    });
  const column = <Value>(read: (item: (typeof items)[number]) => Value) => items.map(read);
  const times = column(({ created_at }) => created_at.getTime());
  const { rows } = await sql<WokenLane>`
    with item as (
      select * from unnest(
        ${column((i) => i.agent_id)}::uuid[], ${column((i) => i.lane_id)}::uuid[], ${column((i) => i.seq)}::bigint[],
        ${column((i) => i.created_at)}::timestamptz[], ${column((i) => i.laneId)}::uuid[], ${column((i) => i.newId)}::uuid[],
        ${column((i) => i.position)}::bigint[], ${column((i) => totals.get(i.laneId))}::bigint[]
      ) as i(agent_id, lane_id, seq, created_at, replay_lane_id, new_id, position, total)
    ),
    lane_raised as (
      insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq)
      select i.agent_id, i.replay_lane_id, l.destination_id, l.conversation_id, 'awake', max(i.total)
      from item i join lane l on l.agent_id = i.agent_id and l.id = i.lane_id
      group by i.agent_id, i.replay_lane_id, l.destination_id, l.conversation_id
      order by i.replay_lane_id
      on conflict (agent_id, id) do update set ${LANE_RAISED}
      returning lane.agent_id, lane.id, lane.tail_seq, lane.awake_since = now() as woke
    ),
    delivery_made as (
      insert into delivery (agent_id, lane_id, seq, id, event, sender, body, message_id, in_reply_to, traceparent, replay_of,
        replay_seq, replay_id)
      select r.agent_id, r.id, r.tail_seq - i.total + i.position, i.new_id, d.event, d.sender, d.body, d.message_id, d.in_reply_to, d.traceparent,
        coalesce(d.replay_of, d.id), coalesce(d.replay_seq, d.seq), ${replayId}::uuid
      from item i
      join lane_raised r on r.agent_id = i.agent_id and r.id = i.replay_lane_id
      join delivery d on d.agent_id = i.agent_id and d.lane_id = i.lane_id and d.seq = i.seq and d.created_at = i.created_at
        and d.created_at between ${new Date(Math.min(...times))} and ${new Date(Math.max(...times))}
    )
    select agent_id as "agentId", id as "laneId" from lane_raised where woke`.execute(db);
  return { deliveryIds: column((i) => i.newId), woken: rows };
}

/**
 * Those that still have a body, with their conversations held: an erasure either comes before, and they are left out, or after, and
 * finds what is enqueued of them. Two statements, so that the second sees what was committed before the locks were granted.
 */
async function holdUnerased(db: Database, asked: Replayed[]): Promise<Replayed[]> {
  if (asked.length === 0) return [];
  const times = asked.map(({ created_at }) => created_at.getTime());
  await sql`
    select from conversation where (agent_id, id) in (
      select l.agent_id, l.conversation_id from lane l
      join unnest(${asked.map(({ agent_id }) => agent_id)}::uuid[], ${asked.map(({ lane_id }) => lane_id)}::uuid[])
        as asked(agent_id, lane_id) on l.agent_id = asked.agent_id and l.id = asked.lane_id)
    order by agent_id, id for key share`.execute(db);
  const { rows } = await sql<{ id: string }>`
    select id from delivery
    where id = any(${asked.map(({ id }) => id)}::uuid[]) and octet_length(body) > 0
      and created_at between ${new Date(Math.min(...times))} and ${new Date(Math.max(...times))}`.execute(db);
  const present = new Set(rows.map(({ id }) => id));
  return asked.filter(({ id }) => present.has(id));
}

/** After the commit. A call that is lost is made by the reconciler. */
export async function wakeLanes(engine: Engine, woken: WokenLane[]): Promise<void> {
  await Promise.all(
    woken.map(({ agentId, laneId }) => engine.send("lane", "drain", objectKey(agentId, laneId))),
  );
}
