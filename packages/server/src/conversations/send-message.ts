import { textOfContent, type InputOf, type MessageAccepted } from "@signalbox/contract";
import { objectKey, type Engine } from "../engine/index.ts";
import {
  createGroupCommit,
  newId,
  once,
  Refusal,
  refuse,
  type AgentCaller,
  type Database,
  type GroupCommit,
  type Log,
} from "../platform/index.ts";
import { acceptUserMessages, type Accepted, type UserMessage } from "./accept-messages.ts";
import type { ConversationParts } from "./create-conversation.ts";

export interface SendMessageParts extends ConversationParts {
  engine: Engine;
  acceptTogether: GroupCommit<UserMessage, Accepted | Refusal>;
}

/** Messages that reach this node at the same moment for the same agent share a transaction. */
export function createMessageAcceptor({
  agents,
  log,
}: ConversationParts & { log: Log }): SendMessageParts["acceptTogether"] {
  return createGroupCommit({
    groupOf: ({ agentId }) => agentId,
    write: (agentId, messages) => agents.asAgent(agentId, (db) => accept(db, agentId, messages)),
    log,
  });
}

/** Accepts a user's message. In webhook mode the answer is the acceptance; the reply comes by 4.5. */
export async function sendMessage(
  parts: SendMessageParts,
  caller: AgentCaller,
  { conversation_id, response_mode, messages }: InputOf<"sendMessage">,
): Promise<MessageAccepted | Refusal> {
  if (response_mode !== "webhook") {
    return refuse(
      "badParameter",
      `response_mode ${response_mode} is not served by this version; use webhook`,
    );
  }
  const last = messages.at(-1);
  const text = last === undefined ? "" : textOfContent(last.content);
  if (text.trim() === "") return refuse("badParameter", "the last message holds no text");

  const { agentId } = caller;
  const message: UserMessage = {
    id: newId(),
    agentId,
    conversationId: conversation_id,
    text,
    responseMode: response_mode,
  };
  const accepted = await acceptOne(parts, caller, message);
  if (accepted instanceof Refusal) return accepted;
  // The message is committed, so nobody waits for an engine that hangs; a call that is lost the reconciler makes.
  if (accepted.woke) void parts.engine.send("turn", "run", objectKey(agentId, conversation_id));
  return { conversation_id, message_id: accepted.messageId };
}

interface AcceptedMessage {
  messageId: string;
  woke: boolean;
}

async function acceptOne(
  { agents, sealer, acceptTogether }: SendMessageParts,
  caller: AgentCaller,
  message: UserMessage,
): Promise<AcceptedMessage | Refusal> {
  const { agentId, id } = message;
  const named = (accepted: Accepted | Refusal): AcceptedMessage | Refusal => {
    if (accepted instanceof Refusal) return accepted;
    if (accepted === undefined) return refuse("unknownConversation", "create one with POST /v1/conversation");
    return { messageId: id, woke: accepted.woke };
  };
  if (caller.idempotency === undefined) return named(await acceptTogether(message));
  return agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const [accepted] = await accept(db, agentId, [message]);
      return named(accepted);
    }),
  );
}

/** Decisions, section 6: webhook mode without a configured webhook is a parameter error that names the setting. */
async function accept(
  db: Database,
  agentId: string,
  messages: UserMessage[],
): Promise<(Accepted | Refusal)[]> {
  const webhook = await db
    .selectFrom("webhook")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("kind", "=", "message")
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (webhook !== undefined) return acceptUserMessages(db, agentId, messages);
  return messages.map(() =>
    refuse(
      "badParameter",
      "response_mode webhook needs a message webhook; configure one for this agent first",
    ),
  );
}
