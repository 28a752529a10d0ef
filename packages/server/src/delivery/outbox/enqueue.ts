import type { DeliveryEvent } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { objectKey, type EngineCall } from "../../engine/index.ts";
import { derivedId, newId, type Database } from "../../platform/index.ts";

/** One delivery, and what is known of the message it carries. */
export interface OutboxItem {
  body: Buffer;
  messageId?: string | undefined;
  /** The user's message that the one it carries answers. */
  inReplyTo?: string | undefined;
  /** W3C trace context that its attempts belong to. */
  traceparent?: string | null | undefined;
}

export interface NewDeliveries {
  agentId: string;
  destinationId: string;
  conversationId: string;
  /** The calls of a handoff have a lane of their own: a new handoff never waits for an old one. */
  handoffId?: string;
  /** Nothing of the lane goes out before; only for a lane that is new. */
  notBefore?: Date;
  event: DeliveryEvent;
  sender: "user" | "ai" | "human" | "system";
  /** One delivery each, in this order. */
  items: OutboxItem[];
}

/** One lane for each destination and conversation, or handoff; both sides of the engine know its id without asking. */
export function laneIdOf(destinationId: string, conversationOrHandoffId: string): string {
  return derivedId("lane", destinationId, conversationOrHandoffId);
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
  const { agentId, destinationId, conversationId, handoffId, notBefore, event, sender, items } = deliveries;
  return sql`
    lane_raised as (
      insert into lane (agent_id, id, destination_id, conversation_id, handoff_id, state, tail_seq, due_at, not_before)
      select ${agentId}::uuid, ${laneIdOf(destinationId, handoffId ?? conversationId)}::uuid, ${destinationId}::uuid,
        ${conversationId}::uuid, ${handoffId ?? null}::uuid, 'awake', ${items.length}, coalesce(${notBefore ?? null}::timestamptz, now()),
        ${notBefore ?? null}::timestamptz
      from ${accepted}
      on conflict (agent_id, id) do update set ${LANE_RAISED}
      returning lane.id, lane.tail_seq - ${items.length} as before_seq, lane.awake_since = now() as woke
    ),
    delivery_made as (
      insert into delivery (agent_id, lane_id, seq, id, event, sender, body, message_id, in_reply_to, traceparent)
      select ${agentId}::uuid, lane_raised.id, lane_raised.before_seq + item.position, item.id, ${event}, ${sender}, item.body,
        item.message_id, item.in_reply_to, item.traceparent
      from lane_raised, unnest(${items.map(() => newId())}::uuid[], ${itemColumns(items)})
        with ordinality as item(id, body, message_id, in_reply_to, traceparent, position)
    )`;
}

/** As `body, message_id, in_reply_to, traceparent`. */
export function itemColumns(items: OutboxItem[]): RawBuilder<unknown> {
  return sql`${items.map(({ body }) => body)}::bytea[], ${items.map(({ messageId }) => messageId ?? null)}::uuid[],
    ${items.map(({ inReplyTo }) => inReplyTo ?? null)}::uuid[], ${items.map(({ traceparent }) => traceparent ?? null)}::text[]`;
}

/** The same as a statement of its own, in a transaction that has decided already. Gives the call that wakes an idle lane. */
export async function enqueue(db: Database, deliveries: NewDeliveries): Promise<EngineCall[]> {
  const { agentId, destinationId, conversationId, handoffId } = deliveries;
  const { rows } = await sql<{ woke: boolean }>`
    with occasion as (select 1), ${enqueueWith(sql`occasion`, deliveries)}
    select woke from lane_raised`.execute(db);
  if (rows[0]?.woke !== true) return [];
  const laneId = laneIdOf(destinationId, handoffId ?? conversationId);
  return [{ object: "lane", handler: "drain", key: objectKey(agentId, laneId) }];
}
