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
  reach: Reach;
}

/** What the desk knows of a call that was given up: nothing, that it said no, or who can tell. */
export type Reach = "unreached" | "answered" | "uncertain";

/** Writes the outcome down and makes of the handoff what follows from it, in one transaction. */
export type SettleHandoffCall = (call: HandoffCall) => Promise<Settled>;

export function isWaitedFor(event: DeliveryEvent): event is HandoffCall["event"] {
  return event === "handoff_requested" || event === "user_message";
}

/**
 * How far a call came, by all its attempts. One whose outcome was never written, because its worker died, shows by a fence
 * above the number of attempts.
 */
export async function reachOf(
  db: Database,
  { agentId, deliveryId, state, fence, attempt }: Settlement,
): Promise<Reach> {
  if (state === "delivered") return "answered";
  if (fence > attempt.number) return "uncertain";
  const earlier =
    attempt.number === 1
      ? []
      : await db
          .selectFrom("attempt")
          .select(["cause", "http_status as httpStatus"])
          .where("agent_id", "=", agentId)
          .where("delivery_id", "=", deliveryId)
          .execute();
  const failed = [...earlier, attempt].map(({ cause, httpStatus }) => ({
    cause: (cause ?? "http_status") as Cause,
    httpStatus: httpStatus ?? undefined,
  }));
  if (failed.some(mayHaveArrived)) return "uncertain";
  return failed.some(({ cause }) => cause === "http_status") ? "answered" : "unreached";
}
