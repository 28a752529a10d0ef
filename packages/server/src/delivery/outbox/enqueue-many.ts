import type { DeliveryEvent } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { HOLD_END } from "./lane-hold.ts";
import { itemColumns, LANE_RAISED, laneIdOf, type NewDeliveries, type OutboxItem } from "./enqueue.ts";

/** Deliveries added to one lane, in this order, if the message they belong to was accepted. */
export interface LaneAddition {
  acceptedAs: number;
  agentId: string;
  destinationId: string;
  conversationId: string;
  /** The calls of a handoff have a lane of their own. */
  handoffId?: string | undefined;
  event: DeliveryEvent;
  sender: NewDeliveries["sender"];
  items: (OutboxItem & { id: string })[];
  /** The call that holds the lane if it wakes, and sends at once; undefined if the lane is to be called. */
  heldBy: string | undefined;
}

/**
 * `enqueueWith` for many conversations of any agents. `accepted` selects the `accepted_as` of those that were: without a row
 * in it there is no delivery. Lanes are locked in the order of their ids, as everywhere.
 */
export function enqueueManyWith(
  accepted: RawBuilder<unknown>,
  additions: LaneAddition[],
): RawBuilder<unknown> {
  const lanes = additions
    .map((addition) => ({
      ...addition,
      id: laneIdOf(addition.destinationId, addition.handoffId ?? addition.conversationId),
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const items = lanes.flatMap(({ id, acceptedAs, event, sender, items }) =>
    items.map((item, index) => ({
      ...item,
      laneId: id,
      acceptedAs,
      event,
      sender,
      behind: items.length - 1 - index,
    })),
  );
  return sql`
    lane_raised as (
      insert into lane (agent_id, id, destination_id, conversation_id, handoff_id, state, tail_seq, fence, held_by, held_until)
      select added.agent_id, added.id, added.destination_id, added.conversation_id, added.handoff_id, 'awake', added.count,
        case when added.held_by is null then 0 else 1 end, added.held_by, case when added.held_by is not null then ${HOLD_END} end
      from unnest(
        ${lanes.map(({ agentId }) => agentId)}::uuid[], ${lanes.map(({ id }) => id)}::uuid[], ${lanes.map(({ destinationId }) => destinationId)}::uuid[],
        ${lanes.map(({ conversationId }) => conversationId)}::uuid[], ${lanes.map(({ handoffId }) => handoffId ?? null)}::uuid[],
        ${lanes.map(({ items }) => items.length)}::integer[],
        ${lanes.map(({ acceptedAs }) => acceptedAs)}::integer[], ${lanes.map(({ heldBy }) => heldBy ?? null)}::uuid[]
      ) as added(agent_id, id, destination_id, conversation_id, handoff_id, count, accepted_as, held_by)
      where added.accepted_as in (${accepted})
      order by added.id
      on conflict (agent_id, id) do update set ${LANE_RAISED},
        fence = case lane.state when 'idle' then lane.fence + excluded.fence else lane.fence end,
        held_by = case lane.state when 'idle' then excluded.held_by else lane.held_by end,
        held_until = case lane.state when 'idle' then excluded.held_until else lane.held_until end
      returning lane.agent_id, lane.id, lane.conversation_id, lane.destination_id, lane.tail_seq, lane.done_seq, lane.fence, lane.held_by, lane.awake_since,
        lane.awake_since = now() as woke
    ),
    delivery_made as (
      insert into delivery (agent_id, lane_id, seq, id, event, sender, body, message_id, in_reply_to, traceparent)
      select lane_raised.agent_id, item.lane_id, lane_raised.tail_seq - item.behind, item.id, item.event, item.sender, item.body,
        item.message_id, item.in_reply_to, item.traceparent
      from lane_raised join unnest(
        ${items.map(({ laneId }) => laneId)}::uuid[], ${items.map(({ acceptedAs }) => acceptedAs)}::integer[],
        ${items.map(({ behind }) => behind)}::integer[], ${items.map(({ id }) => id)}::uuid[], ${items.map(({ event }) => event)}::text[],
        ${items.map(({ sender }) => sender)}::text[], ${itemColumns(items)}
      ) as item(lane_id, accepted_as, behind, id, event, sender, body, message_id, in_reply_to, traceparent) on item.lane_id = lane_raised.id
      where item.accepted_as in (${accepted})
    )`;
}
