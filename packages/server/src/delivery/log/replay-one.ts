import type { Delivery, InputOf } from "@signalbox/contract";
import type { Engine } from "../../engine/index.ts";
import {
  refuse,
  type Database,
  type OperatorCaller,
  type OperatorWriting,
  type Refusal,
} from "../../platform/index.ts";
import { enqueueReplays, wakeLanes, type WokenLane } from "./enqueue-replays.ts";
import { describeDelivery } from "./list-deliveries.ts";
import { findDelivery, noDelivery } from "./read-delivery.ts";

export interface ReplayParts {
  db: Database;
  engine: Engine;
  operator: OperatorWriting;
}

/** Sends one delivery again, whether it arrived or was given up: to its receiver it is the same message. */
export async function replayDelivery(
  { engine, operator }: ReplayParts,
  caller: OperatorCaller,
  { delivery_id }: InputOf<"replayDelivery">,
): Promise<Delivery | Refusal> {
  let woken: WokenLane[] = [];
  const result = await operator.write(caller, async (db): Promise<Delivery | Refusal> => {
    const row = await findDelivery(db, delivery_id);
    if (row === undefined) return noDelivery();
    if (row.state === "pending")
      return refuse("stateConflict", "this delivery is still pending, so it needs no replay");
    if (!(await isLive(db, row.destination_id)))
      return refuse("stateConflict", "the webhook of this delivery was deleted");
    const enqueued = await enqueueReplays(db, [row], null);
    ({ woken } = enqueued);
    const [newDeliveryId] = enqueued.deliveryIds;
    if (newDeliveryId === undefined)
      return refuse("stateConflict", "the body of this delivery was erased, so it cannot be replayed");
    await operator.audit(db, caller, {
      action: "delivery.replay",
      agentId: row.agent_id,
      subjectId: row.id,
      detail: { replay_delivery_id: newDeliveryId, webhook_id: row.destination_id, state: row.state },
    });
    const made = await findDelivery(db, newDeliveryId);
    if (made === undefined) throw new Error("a replay that was just enqueued is gone");
    return describeDelivery(made);
  });
  await wakeLanes(engine, woken);
  return result;
}

async function isLive(db: Database, webhookId: string): Promise<boolean> {
  const found = await db
    .selectFrom("webhook")
    .innerJoin("agent", "agent.id", "webhook.agent_id")
    .select("webhook.id")
    .where("webhook.id", "=", webhookId)
    .where("webhook.deleted_at", "is", null)
    .where("agent.deleted_at", "is", null)
    .executeTakeFirst();
  return found !== undefined;
}
