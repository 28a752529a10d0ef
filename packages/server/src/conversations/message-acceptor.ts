import { refuseUnknownKnowledge } from "../answering/index.ts";
import { objectKey, type AfterCommit } from "../engine/index.ts";
import { acceptForHuman } from "../handoff/index.ts";
import {
  createGroupCommit,
  once,
  refuse,
  type Database,
  type GroupCommit,
  type Log,
  type OnceScope,
  type Refusal,
} from "../platform/index.ts";
import { acceptUserMessages, isForCaller, isForWebhook, type UserMessage } from "./accept-messages.ts";
import type { CallersTurnRow } from "./callers-turn-store.ts";
import type { ConversationParts } from "./create-conversation.ts";

/** Where the message stands, and what the engine is to be called with once it is committed. */
export interface AcceptedMessage {
  messageId: string;
  seq: number;
  calls: AfterCommit[];
  /** Its caller's, where it could begin at once. */
  turn?: CallersTurnRow | undefined;
}

type Accepted = AcceptedMessage | "held_by_human" | Refusal;

export type AcceptTogether = GroupCommit<UserMessage, Accepted>;

/** Messages that reach this node at the same moment for the same agent, and are answered the same way, share a transaction. */
export function createMessageAcceptor({ agents, log }: ConversationParts & { log: Log }): AcceptTogether {
  return createGroupCommit({
    groupOf: (message) => `${message.agentId}${isForWebhook(message) ? " by webhook" : ""}`,
    write: (_, messages) => {
      const agentId = messages[0]?.agentId ?? "";
      return agents.asAgentOnce(agentId, (db) => accept(db, agentId, messages, { opensTurns: true }));
    },
    log,
  });
}

export async function acceptMessage(
  { agents, sealer, acceptTogether }: ConversationParts & { acceptTogether: AcceptTogether },
  scope: OnceScope,
  message: UserMessage,
): Promise<AcceptedMessage | Refusal> {
  const { agentId, answerWith } = message;
  if (scope.idempotency !== undefined || answerWith?.within !== undefined)
    return agents.asAgent(agentId, (db) =>
      once(db, sealer, { ...scope, about: [message.conversationId] }, (db) => acceptAlone(db, message)),
    );
  const accepted = await acceptTogether(message);
  // Not in the transaction of the others: it may wait for its desk's lane, and they would wait with it.
  return accepted === "held_by_human" ? agents.asAgent(agentId, (db) => acceptAlone(db, message)) : accepted;
}

/** For whoever holds the conversation when its lock is granted. */
async function acceptAlone(db: Database, message: UserMessage): Promise<AcceptedMessage | Refusal> {
  const { agentId, answerWith } = message;
  const unknown = answerWith?.within && (await refuseUnknownKnowledge(db, agentId, answerWith.within));
  if (unknown !== undefined) return unknown;
  // What is kept for a repeat of the call is its acceptance alone.
  const [accepted = refuse("unknownConversation")] = await accept(db, agentId, [message], {
    opensTurns: false,
  });
  if (accepted !== "held_by_human") return accepted;
  // Decisions, 4.6: people answer in webhook mode and on live channels alone.
  if (isForCaller(message)) return refuseWhileHumanSpeaks();
  const forHuman = await acceptForHuman(db, agentId, message);
  if (forHuman === undefined) throw new Error("control changed under its lock");
  return { messageId: message.id, ...forHuman };
}

export function refuseWhileHumanSpeaks(): Refusal {
  return refuse(
    "stateConflict",
    "a human is handling this conversation; use response_mode webhook, or wait until the handoff is closed",
  );
}

async function accept(
  db: Database,
  agentId: string,
  messages: UserMessage[],
  options: { opensTurns: boolean },
): Promise<Accepted[]> {
  const accepted = await acceptUserMessages(db, agentId, messages, options);
  return messages.map((message, index): Accepted => {
    const one = accepted[index];
    if (one === undefined)
      return refuse("unknownConversation", "create a conversation with POST /v1/conversation");
    // Decisions, section 6: webhook mode without a configured webhook is a parameter error that names the setting.
    if (one.kind === "no_webhook") return refuse("badParameter", NO_WEBHOOK);
    if (one.kind === "held_by_human") return one.kind;
    const key = objectKey(agentId, message.conversationId);
    // What its caller waits for is answered on this node.
    const isForEngine = one.woke && !isForCaller(message);
    const calls = isForEngine ? [{ object: "turn", handler: "run", key }] : [];
    return { messageId: message.id, seq: one.seq, calls, turn: one.turn };
  });
}

const NO_WEBHOOK = "response_mode webhook needs a message webhook; configure one for this agent first";
