import type { Cause } from "@signalbox/contract";
import type { Database } from "../../platform/index.ts";
import { mayHaveArrived } from "../attempts/attempt-outcome.ts";
import type { Settlement } from "./settle.ts";

/** What the receiver of a delivery that ended knows of it: nothing, all of it, or nobody can tell. */
export type Reach = "unreached" | "answered" | "uncertain";

/**
 * By all its attempts. One whose outcome was never written, because its worker died, shows by a fence above the number of
 * attempts.
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
