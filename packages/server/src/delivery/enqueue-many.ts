import type { DeliveryEvent } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { newId } from "../platform/index.ts";
import { itemColumns, LANE_RAISED, laneIdOf, type OutboxItem } from "./enqueue.ts";

/** What is added to one lane, in this order, when what it belongs to was accepted. */
export interface LaneAddition {
  acceptedAs: number;
  destinationId: string;
  conversationId: string;
  items: OutboxItem[];
}

/**
 * `enqueueWith` for many conversations of one agent. `accepted` is a CTE that has the `accepted_as` of those that
 * were: no row in it, no delivery. Lanes are locked in the order of their ids, as everywhere.
 */
export function enqueueManyWith(
  accepted: RawBuilder<unknown>,
  {
    agentId,
    event,
    sender,
    additions,
  }: { agentId: string; event: DeliveryEvent; sender: "ai"; additions: LaneAddition[] },
): RawBuilder<unknown> {
  const lanes = additions
    .map((addition) => ({ ...addition, id: laneIdOf(addition.destinationId, addition.conversationId) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const items = lanes.flatMap(({ id, acceptedAs, items }) =>
    items.map((item, index) => ({ ...item, laneId: id, acceptedAs, behind: items.length - 1 - index })),
  );
  return sql`
    lane_raised as (
      insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq)
      select ${agentId}::uuid, added.id, added.destination_id, added.conversation_id, 'awake', added.count
      from unnest(
        ${lanes.map(({ id }) => id)}::uuid[], ${lanes.map(({ destinationId }) => destinationId)}::uuid[],
        ${lanes.map(({ conversationId }) => conversationId)}::uuid[], ${lanes.map(({ items }) => items.length)}::integer[],
        ${lanes.map(({ acceptedAs }) => acceptedAs)}::integer[]
      ) as added(id, destination_id, conversation_id, count, accepted_as)
      where added.accepted_as in (select accepted_as from ${accepted})
      order by added.id
      on conflict (agent_id, id) do update set ${LANE_RAISED}
      returning lane.id, lane.conversation_id, lane.tail_seq, lane.awake_since = now() as woke
    ),
    delivery_made as (
      insert into delivery (agent_id, lane_id, seq, id, event, sender, body, message_id, in_reply_to, traceparent)
      select ${agentId}::uuid, item.lane_id, lane_raised.tail_seq - item.behind, item.id, ${event}, ${sender}, item.body,
        item.message_id, item.in_reply_to, item.traceparent
      from lane_raised join unnest(
        ${items.map(({ laneId }) => laneId)}::uuid[], ${items.map(({ acceptedAs }) => acceptedAs)}::integer[],
        ${items.map(({ behind }) => behind)}::integer[], ${items.map(() => newId())}::uuid[], ${itemColumns(items)}
      ) as item(lane_id, accepted_as, behind, id, body, message_id, in_reply_to, traceparent) on item.lane_id = lane_raised.id
      where item.accepted_as in (select accepted_as from ${accepted})
    )`;
}
