import {
  ownedBy,
  refuse,
  type AgentDatabase,
  type Database,
  type DeskCaller,
  type IdempotencyKey,
  type Refusal,
} from "../../platform/index.ts";
import { conversationOf } from "../steps/lock-conversation.ts";

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
  { agents, db }: { agents: AgentDatabase; db: Database },
  caller: DeskCaller,
  handoffId: string,
): Promise<FoundHandoff | Refusal> {
  const { idempotency } = caller;
  if (caller.kind !== "keyless") {
    const { agentId } = caller;
    const conversationId = await agents.asAgent(agentId, (db) => conversationOf(db, agentId, handoffId));
    return conversationId === undefined
      ? refuse("unknownConversation", "use the conversation_id from the handoff request (4.6)")
      : { agentId, handoffId, conversationId, idempotency };
  }
  const row = await db
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
  if (row === undefined)
    return refuse("developerAuth", "send an API key of the agent as Authorization: Bearer <API_KEY>");
  const { agentId, conversationId, deskId } = row;
  const ownKey = idempotency === undefined ? undefined : ownedBy(`desk ${deskId}`, idempotency);
  return { agentId, conversationId, handoffId, idempotency: ownKey };
}
