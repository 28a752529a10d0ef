import { identifier } from "@signalbox/contract";
import {
  ownedBy,
  refuse,
  type AgentDatabase,
  type Database,
  type DeskCaller,
  type IdempotencyKey,
  type Refusal,
} from "../../platform/index.ts";
import { handoffNamed } from "../steps/lock-conversation.ts";

/** A handoff that a desk names, with the agent it belongs to. */
export interface FoundHandoff {
  agentId: string;
  handoffId: string;
  conversationId: string;
  idempotency: IdempotencyKey | undefined;
}

/**
 * Decisions, 4.9: the key of the handoff's agent, or none where the desk allows it. An id of another agent looks like
 * one that nobody has; without a key, so does everything that is not allowed.
 */
export async function findHandoff(
  { agents, db }: { agents: Pick<AgentDatabase, "asAgent">; db: Database },
  caller: DeskCaller,
  id: string,
): Promise<FoundHandoff | Refusal> {
  const { idempotency } = caller;
  if (caller.kind !== "keyless") {
    const { agentId } = caller;
    const found = isPossible(id)
      ? await agents.asAgent(agentId, (db) => handoffNamed(db, agentId, id))
      : undefined;
    return found === undefined ? refuseUnknown(caller) : { agentId, ...found, idempotency };
  }
  const found = await findKeyless(db, id);
  if (found === undefined) return refuseUnknown(caller);
  const { deskId, ...handoff } = found;
  const ownKey = idempotency === undefined ? undefined : ownedBy(`desk ${deskId}`, idempotency);
  return { ...handoff, handoffId: id, idempotency: ownKey };
}

/** Also of a conversation that is erased while the call waits for it. */
export function refuseUnknown({ kind }: DeskCaller): Refusal {
  return kind === "keyless"
    ? refuse("developerAuth", "send an API key of the agent as Authorization: Bearer <API_KEY>")
    : refuse("unknownConversation", "use the conversation_id from the handoff request (4.6)");
}

/** Whether somebody without a key may speak of what this is the id of: others are told nothing of what is wrong with their call. */
export async function takesKeylessCalls(db: Database, id: unknown): Promise<boolean> {
  return typeof id === "string" && (await findKeyless(db, id.toLowerCase())) !== undefined;
}

/** By the handoff's own id alone, which the desk was given: users know the id of their conversation. */
async function findKeyless(
  db: Database,
  handoffId: string,
): Promise<{ agentId: string; conversationId: string; deskId: string } | undefined> {
  if (!isPossible(handoffId)) return undefined;
  return db
    .selectFrom("handoff")
    .innerJoin("webhook", "webhook.id", "handoff.component_id")
    .innerJoin("agent", "agent.id", "handoff.agent_id")
    .select([
      "handoff.agent_id as agentId",
      "handoff.conversation_id as conversationId",
      "handoff.component_id as deskId",
    ])
    .where("handoff.id", "=", handoffId)
    .where("webhook.allow_unauthenticated_replies", "=", true)
    .where("webhook.deleted_at", "is", null)
    .where("agent.deleted_at", "is", null)
    .executeTakeFirst();
}

/** Decisions, 4.9: an id in another form is unknown. PostgreSQL would refuse to compare it. */
function isPossible(id: string): boolean {
  return identifier.safeParse(id).success;
}
