import { textOfContent, type InputOf, type MessageAccepted } from "@signalbox/contract";
import { makeCalls, objectKey, type Engine, type EngineCall } from "../engine/index.ts";
import { acceptForHuman } from "../handoff/index.ts";
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
import { acceptUserMessages, type UserMessage } from "./accept-messages.ts";
import type { ConversationParts } from "./create-conversation.ts";

export interface SendMessageParts extends ConversationParts {
  engine: Engine;
  acceptTogether: GroupCommit<UserMessage, Accepted>;
}

/** What the engine is to be called with, once the message is committed. */
type Accepted = EngineCall[] | "held_by_human" | Refusal;

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
  void makeCalls(parts.engine, accepted.calls);
  return { conversation_id, message_id: accepted.messageId };
}

interface AcceptedMessage {
  messageId: string;
  calls: EngineCall[];
}

async function acceptOne(
  { agents, sealer, acceptTogether }: SendMessageParts,
  caller: AgentCaller,
  message: UserMessage,
): Promise<AcceptedMessage | Refusal> {
  const { agentId, id } = message;
  if (caller.idempotency === undefined) {
    const accepted = await acceptTogether(message);
    if (accepted instanceof Refusal) return accepted;
    // Not in the transaction of the others: it may wait for its desk's lane, and they would wait with it.
    const calls =
      accepted === "held_by_human"
        ? await agents.asAgent(agentId, (db) => acceptAlone(db, message))
        : accepted;
    return calls instanceof Refusal ? calls : { messageId: id, calls };
  }
  return agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const calls = await acceptAlone(db, message);
      return calls instanceof Refusal ? calls : { messageId: id, calls };
    }),
  );
}

/** For whoever holds the conversation when its lock is granted. */
async function acceptAlone(db: Database, message: UserMessage): Promise<EngineCall[] | Refusal> {
  const { agentId } = message;
  const [accepted = []] = await accept(db, agentId, [message]);
  if (accepted !== "held_by_human") return accepted;
  const calls = await acceptForHuman(db, agentId, message);
  if (calls === undefined) throw new Error("control changed under its lock");
  return calls;
}

/** Decisions, section 6: webhook mode without a configured webhook is a parameter error that names the setting. */
async function accept(db: Database, agentId: string, messages: UserMessage[]): Promise<Accepted[]> {
  const webhook = await db
    .selectFrom("webhook")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("kind", "=", "message")
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (webhook === undefined) {
    const advice = "response_mode webhook needs a message webhook; configure one for this agent first";
    return messages.map(() => refuse("badParameter", advice));
  }
  const accepted = await acceptUserMessages(db, agentId, messages);
  return accepted.map((one, index) => {
    if (one === undefined) return refuse("unknownConversation", "create one with POST /v1/conversation");
    if (one.kind === "held_by_human") return one.kind;
    const key = objectKey(agentId, messages[index]?.conversationId ?? "");
    return one.woke ? [{ object: "turn", handler: "run", key }] : [];
  });
}
