import type { Delivery } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { DeliveryRow } from "./delivery-filter.ts";
import { describeDelivery } from "./list-deliveries.ts";

export interface ConversationDelivery extends Delivery {
  /** Set on calls to a desk. */
  handoffId: string | null;
}

const READ_MAX = 1_000;

/** Deliveries in one conversation that carry one of these messages, and calls of these handoffs that carry none; oldest first, without bodies. */
export async function findConversationDeliveries(
  db: Database,
  {
    agentId,
    conversationId,
    messageIds,
    handoffIds,
    from,
  }: { agentId: string; conversationId: string; messageIds: string[]; handoffIds: string[]; from: Date },
): Promise<ConversationDelivery[]> {
  const { rows } = await sql<DeliveryRow & { handoff_id: string | null }>`
    select d.agent_id, d.lane_id, d.seq, d.created_at, d.id, d.event, d.sender, d.state, d.cause, d.attempts, d.finished_at,
      d.replay_of, d.replay_seq, d.message_id, d.in_reply_to, l.destination_id, l.conversation_id, l.handoff_id
    from lane l join delivery d on d.agent_id = l.agent_id and d.lane_id = l.id
    where l.agent_id = ${agentId} and l.conversation_id = ${conversationId} and d.created_at >= ${from}
      and (d.message_id = any(${messageIds}::uuid[])
        or (d.message_id is null and l.handoff_id = any(${handoffIds}::uuid[])))
    order by d.created_at, d.id limit ${READ_MAX}`.execute(db);
  return rows.map((row) => ({ ...describeDelivery(row), handoffId: row.handoff_id }));
}
