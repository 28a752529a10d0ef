import type { Cause, DeliveryEvent } from "@signalbox/contract";
import type { Database } from "../platform/index.ts";
import type { Settled, Settlement } from "./settle.ts";
import { mayHaveArrived } from "./urgent.ts";

/** The end of a call that a handoff waits for. */
export interface HandoffCall {
  event: "handoff_requested" | "user_message";
  conversationId: string;
  handoffId: string;
  settlement: Settlement;
  /** It failed, and may have been taken all the same. */
  uncertain: boolean;
}

/** Writes the outcome down and makes of the handoff what follows from it, in one transaction. */
export type SettleHandoffCall = (call: HandoffCall) => Promise<Settled>;

export function isWaitedFor(event: DeliveryEvent): event is HandoffCall["event"] {
  return event === "handoff_requested" || event === "user_message";
}

/**
 * Whether a call that failed may have arrived at any of its attempts. One whose outcome was never written, because its worker
 * died, shows by a fence above the number of attempts.
 */
export async function isUncertain(
  db: Database,
  { agentId, deliveryId, fence, attempt }: Settlement,
): Promise<boolean> {
  const last = { cause: attempt.cause ?? "http_status", httpStatus: attempt.httpStatus };
  if (fence > attempt.number || mayHaveArrived(last)) return true;
  if (attempt.number === 1) return false;
  const earlier = await db
    .selectFrom("attempt")
    .select(["cause", "http_status"])
    .where("agent_id", "=", agentId)
    .where("delivery_id", "=", deliveryId)
    .execute();
  return earlier.some(({ cause, http_status }) =>
    mayHaveArrived({ cause: (cause ?? "http_status") as Cause, httpStatus: http_status ?? undefined }),
  );
}
