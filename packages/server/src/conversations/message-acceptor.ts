import { refuseUnknownKnowledge } from "../answering/index.ts";
import { objectKey, type AfterCommit } from "../engine/index.ts";
import { acceptForHuman } from "../handoff/index.ts";
import {
  createGroupCommit,
  isUniqueViolation,
  LOCKED,
  once,
  outcomeOf,
  refuse,
  type AgentDatabase,
  type Database,
  type GroupCommit,
  type Log,
  type OnceScope,
  type Refusal,
} from "../platform/index.ts";
import { acceptAcrossAgents, mayShareAccept } from "./accept-across-agents.ts";
import {
  acceptUserMessages,
  isForCaller,
  isForWebhook,
  type Accepted as AcceptedInStore,
  type UserMessage,
} from "./accept-messages.ts";
import type { CallersTurnRow } from "./callers-turn-store.ts";
import type { ConversationParts } from "./create-conversation.ts";
import { findAccepted } from "./find-accepted.ts";
import { addressOf } from "./place-in-conversations.ts";

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

/**
 * Messages of all agents that reach this node at the same moment share a transaction. A locked conversation is waited for
 * in a transaction of its agent alone, and its later messages wait behind: messages keep the order they came in.
 */
export function createMessageAcceptor({ agents, log }: ConversationParts & { log: Log }): AcceptTogether {
  const byAgent = createGroupCommit<UserMessage, Accepted>({
    groupOf: (message) => `${message.agentId}${isForWebhook(message) ? " by webhook" : ""}`,
    write: (_, messages) => {
      const agentId = messages[0]?.agentId ?? "";
      return agents.asAgentOnce(agentId, async (db) => {
        const accepted = await acceptUserMessages(db, agentId, messages, { opensTurns: true });
        return messages.map((message, index) => {
          const one = accepted[index];
          if (one?.kind === "accepted" && one.turn !== undefined) message.onTurnOpened?.(one.seq, one.turn);
          return resultOf(message, one);
        });
      });
    },
    readBack: (_, messages) => readAccepted(agents, messages),
    log,
  });
  const waited = countAddresses();
  const acrossAgents = createGroupCommit<UserMessage, Accepted | typeof LOCKED>({
    groupOf: () => "",
    shareOf: ({ agentId }) => agentId,
    write: async (_, messages) => {
      const free = messages.filter((message) => !waited.has(message));
      const agentIds = [...new Set(free.map(({ agentId }) => agentId))];
      const found =
        free.length === 0 ? [] : await agents.asAgentsOnce(agentIds, (db) => acceptAcrossAgents(db, free));
      const accepted = new Map<UserMessage, (typeof found)[number] | undefined>(
        free.map((message, index) => [message, found[index]]),
      );
      return messages.map((message) => {
        const one: AcceptedInStore | typeof LOCKED = accepted.get(message) ?? LOCKED;
        if (one !== LOCKED) return resultOf(message, one);
        // At once, so that the next batch leaves its conversation alone.
        waited.add(message);
        return LOCKED;
      });
    },
    readBack: (_, messages) => readAccepted(agents, messages),
    log,
  });
  return async (message) => {
    if (mayShareAccept(message) && !waited.has(message)) {
      const accepted = await acrossAgents(message);
      if (accepted !== LOCKED) return accepted;
    } else waited.add(message);
    try {
      return await byAgent(message);
    } finally {
      waited.remove(message);
    }
  };
}

/** How many messages wait for each conversation. */
function countAddresses() {
  const counts = new Map<string, number>();
  const change = (message: UserMessage, by: number) => {
    const address = addressOf(message);
    const count = (counts.get(address) ?? 0) + by;
    if (count === 0) counts.delete(address);
    else counts.set(address, count);
  };
  return {
    has: (message: UserMessage) => counts.has(addressOf(message)),
    add: (message: UserMessage) => change(message, 1),
    remove: (message: UserMessage) => change(message, -1),
  };
}

/** Else it is accepted in a transaction of its own, which opens no turn. */
export function mayAcceptTogether({ idempotency }: OnceScope, { answerWith }: UserMessage): boolean {
  return idempotency === undefined && answerWith?.within === undefined;
}

export async function acceptMessage(
  { agents, sealer, acceptTogether }: ConversationParts & { acceptTogether: AcceptTogether },
  scope: OnceScope,
  message: UserMessage,
): Promise<AcceptedMessage | Refusal> {
  const { agentId } = message;
  const alone = (work: (db: Database) => Promise<AcceptedMessage | Refusal>) =>
    readBackIfUnknown(agents, message, agents.asAgent(agentId, work));
  if (!mayAcceptTogether(scope, message))
    return alone((db) =>
      once(db, sealer, { ...scope, about: [message.conversationId] }, (db) => acceptAlone(db, message)),
    );
  const accepted = await acceptTogether(message);
  // Not in the transaction of the others: it may wait for its desk's lane, and they would wait with it.
  return accepted === "held_by_human" ? alone((db) => acceptAlone(db, message)) : accepted;
}

/** A commit without an answer, or a message that is there already, because an earlier try was committed. */
async function readBackIfUnknown(
  agents: AgentDatabase,
  message: UserMessage,
  accepting: Promise<AcceptedMessage | Refusal>,
): Promise<AcceptedMessage | Refusal> {
  try {
    return await accepting;
  } catch (error) {
    if (outcomeOf(error) !== "unknown" && !isUniqueViolation(error)) throw error;
    const [found] = await readAccepted(agents, [message]);
    if (found === undefined) throw error;
    return found;
  }
}

/** Calls the turn again: a call that finds nothing to do is cheap. A caller takes up the turn that was opened for it. */
async function readAccepted(
  agents: AgentDatabase,
  messages: UserMessage[],
): Promise<(AcceptedMessage | undefined)[]> {
  const places = await findAccepted(agents, messages);
  return messages.map((message, index) => {
    const seq = places[index];
    return seq === undefined ? undefined : acceptedAt(message, { seq, woke: true });
  });
}

/** Accepts it for the agent or the human, as the conversation's control says once its lock is granted. */
async function acceptAlone(db: Database, message: UserMessage): Promise<AcceptedMessage | Refusal> {
  const { agentId, answerWith } = message;
  const unknown = answerWith?.within && (await refuseUnknownKnowledge(db, agentId, answerWith.within));
  if (unknown !== undefined) return unknown;
  // What is kept for a repeat of the call is its acceptance alone.
  const [stored] = await acceptUserMessages(db, agentId, [message], { opensTurns: false });
  const accepted = resultOf(message, stored);
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

function resultOf(message: UserMessage, one: AcceptedInStore): Accepted {
  if (one === undefined)
    return refuse("unknownConversation", "create a conversation with POST /v1/conversation");
  // Decisions, section 6: webhook mode without a configured webhook is a parameter error that names the setting.
  if (one.kind === "no_webhook") return refuse("badParameter", NO_WEBHOOK);
  return one.kind === "held_by_human" ? one.kind : acceptedAt(message, one);
}

function acceptedAt(
  message: UserMessage,
  { seq, woke, turn }: { seq: number; woke: boolean; turn?: CallersTurnRow | undefined },
): AcceptedMessage {
  const key = objectKey(message.agentId, message.conversationId);
  // What its caller waits for is answered on this node.
  const isForEngine = woke && !isForCaller(message);
  const calls = isForEngine ? [{ object: "turn", handler: "run", key }] : [];
  return { messageId: message.id, seq, calls, turn };
}

const NO_WEBHOOK = "response_mode webhook needs a message webhook; configure one for this agent first";
