import type { Cause, OperatorEventBody } from "@signalbox/contract";
import { sendCalls, type Engine } from "../../engine/index.ts";
import { newId, OPERATOR_SCOPE, type Database, type Log, type Metrics } from "../../platform/index.ts";
import { enqueue } from "../outbox/enqueue.ts";

/** What an operator should hear of. */
export type OperatorEvent = { agentId: string; destinationId: string } & (
  | { kind: "destination_failing"; url: string }
  | { kind: "destination_disabled"; url: string }
  | { kind: "destination_recovered"; url: string }
  | { kind: "delivery_dead"; deliveryId: string; cause: Cause }
  | { kind: "deliveries_expired"; count: number }
);

export interface OperatorEvents {
  raise(event: OperatorEvent): Promise<void>;
}

/** Sends each event to the operator's webhook, if one is configured, in order for each destination; counts and logs it always. */
export function createOperatorEvents({
  db,
  engine,
  log,
  metrics,
}: {
  db: Database;
  engine: Engine;
  log: Log;
  metrics: Metrics;
}): OperatorEvents {
  return {
    async raise(event) {
      metrics.operatorEvents.inc({ kind: event.kind });
      log.warn("operator_event", event);
      // An operator's webhook that fails cannot be told so.
      if (event.agentId === OPERATOR_SCOPE) return;
      const webhook = await db
        .selectFrom("webhook")
        .select("id")
        .where("kind", "=", "operator")
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (webhook === undefined) return;
      const calls = await enqueue(db, {
        agentId: OPERATOR_SCOPE,
        destinationId: webhook.id,
        conversationId: event.destinationId,
        event: "operator_event",
        sender: "system",
        items: [{ body: eventBytes(event) }],
      });
      await sendCalls(engine, calls);
    },
  };
}

function eventBytes(event: OperatorEvent): Buffer {
  const { agentId, destinationId } = event;
  const common = { event_id: newId(), at: Date.now(), agent_id: agentId, webhook_id: destinationId };
  return Buffer.from(JSON.stringify({ ...common, ...detailsOf(event) } satisfies OperatorEventBody), "utf8");
}

function detailsOf(event: OperatorEvent) {
  switch (event.kind) {
    case "destination_failing":
    case "destination_disabled":
    case "destination_recovered":
      return { event: event.kind, url: event.url };
    case "delivery_dead":
      return { event: event.kind, delivery_id: event.deliveryId, cause: event.cause };
    case "deliveries_expired":
      return { event: event.kind, count: event.count };
  }
}
