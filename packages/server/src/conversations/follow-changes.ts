import type { InputOf } from "@signalbox/contract";
import { requireAgent } from "../agents/index.ts";
import { EventStream, refuseBeyond, type Database, type Refusal } from "../platform/index.ts";
import type { ChangeHub } from "./change-hub.ts";

const STREAMS_MAX = 200;
const RETRY_AFTER_SECONDS = 10;

/** Which deliveries and conversations changed, from now on, for whoever shows them. */
export async function followChanges(
  { db, hub }: { db: Database; hub: ChangeHub },
  { agent_id }: InputOf<"followChanges">,
): Promise<EventStream | Refusal> {
  const missing = agent_id === undefined ? undefined : await requireAgent(db, agent_id);
  if (missing !== undefined) return missing;
  if (hub.count() >= STREAMS_MAX)
    return refuseBeyond(
      { name: "operator_streams", most: STREAMS_MAX },
      `${STREAMS_MAX} streams of changes are already open on this node; close one, or try again shortly`,
      RETRY_AFTER_SECONDS,
    );
  return new EventStream((left) => hub.follow(agent_id, left));
}
