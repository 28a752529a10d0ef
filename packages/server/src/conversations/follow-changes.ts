import type { InputOf } from "@signalbox/contract";
import { requireAgent } from "../agents/index.ts";
import { closing, EventStream, Refusal, type Database, type OperatorCaller } from "../platform/index.ts";
import type { ChangeHub } from "./change-hub.ts";
import type { StreamShares } from "./stream-shares.ts";

/** A stream of the deliveries and conversations that change from now on. */
export async function followChanges(
  { db, hub, shares }: { db: Database; hub: ChangeHub; shares: StreamShares },
  caller: OperatorCaller,
  { agent_id }: InputOf<"followChanges">,
): Promise<EventStream | Refusal> {
  const missing = agent_id === undefined ? undefined : await requireAgent(db, agent_id);
  if (missing !== undefined) return missing;
  const close = shares.open(caller, agent_id);
  if (close instanceof Refusal) return close;
  return new EventStream((left) => closing(hub.follow(agent_id, left), close));
}
