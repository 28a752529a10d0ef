import { sql, type RawBuilder } from "kysely";
import { derivedId, newId } from "../platform/index.ts";

export type DeliveryEvent =
  | "message"
  | "handoff_requested"
  | "user_message"
  | "handoff_closed"
  | "operator_event";

export interface NewDeliveries {
  agentId: string;
  destinationId: string;
  conversationId: string;
  event: DeliveryEvent;
  sender: "user" | "ai" | "human" | "system";
  /** One delivery each, in this order. */
  bodies: Buffer[];
}

/** One lane for each destination and conversation; both sides of the engine know its id without asking. */
export function laneIdOf(destinationId: string, conversationId: string): string {
  return derivedId("lane", destinationId, conversationId);
}

/** More to send for a lane: its tail moves by what is added, and one that is idle wakes. */
export const LANE_RAISED = sql`
  tail_seq = lane.tail_seq + excluded.tail_seq,
  state = case lane.state when 'idle' then 'awake' else lane.state end,
  awake_since = case lane.state when 'idle' then now() else lane.awake_since end,
  due_at = case lane.state when 'idle' then now() else lane.due_at end,
  beat_at = case lane.state when 'idle' then now() else lane.beat_at end,
  pending_since = case lane.state when 'idle' then date_trunc('milliseconds', now()) else lane.pending_since end`;

/**
 * The outbox as two CTEs for the statement that accepts messages, so that message, delivery and wake bit commit
 * together in one round trip. `accepted` is a CTE of that statement: no row in it, no delivery.
 * `lane_raised.woke` says that the lane was idle; the comparison works because now() is the transaction's own time.
 */
export function enqueueWith(accepted: RawBuilder<unknown>, deliveries: NewDeliveries): RawBuilder<unknown> {
  const { agentId, destinationId, conversationId, event, sender, bodies } = deliveries;
  return sql`
    lane_raised as (
      insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq)
      select ${agentId}::uuid, ${laneIdOf(destinationId, conversationId)}::uuid, ${destinationId}::uuid,
        ${conversationId}::uuid, 'awake', ${bodies.length}
      from ${accepted}
      on conflict (agent_id, id) do update set ${LANE_RAISED}
      returning lane.id, lane.tail_seq - ${bodies.length} as before_seq, lane.awake_since = now() as woke
    ),
    delivery_made as (
      insert into delivery (agent_id, lane_id, seq, id, event, sender, body)
      select ${agentId}::uuid, lane_raised.id, lane_raised.before_seq + item.position, item.id, ${event}, ${sender}, item.body
      from lane_raised, unnest(${bodies.map(() => newId())}::uuid[], ${bodies}::bytea[]) with ordinality as item(id, body, position)
    )`;
}
