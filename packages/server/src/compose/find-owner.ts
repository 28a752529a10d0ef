import { agentOfInvitation } from "../accounts/index.ts";
import { agentOfDelivery, agentOfReplay } from "../delivery/index.ts";
import type { FindOwner } from "../http/index.ts";
import type { Database } from "../platform/index.ts";
import { agentOfErasure } from "../privacy/index.ts";

const FINDERS = {
  delivery_id: agentOfDelivery,
  replay_id: agentOfReplay,
  erasure_id: agentOfErasure,
  invitation_id: agentOfInvitation,
};

/** The agent that an id leads to, for roles that are for certain agents. */
export function findOwner(db: Database, ...[field, id]: Parameters<FindOwner>): ReturnType<FindOwner> {
  return FINDERS[field](db, id);
}
