import type { Bed } from "./bed.ts";

/** One call that somebody made to say something, whatever was answered. */
export type Call = {
  conversationId: string;
  text: string;
  /** With a 2xx. */
  isAnswered: boolean;
  /** The id that its caller was given: of the message, or of the reply in blocking mode. */
  messageId?: string | undefined;
  /** Why it was refused, in the words of the answer. */
  refusal?: string | undefined;
};

export type StoredMessage = {
  conversationId: string;
  id: string;
  sender: "user" | "ai" | "human" | "system";
  text: string;
};

/** What the tables hold when everything has come to rest. */
export type Stored = {
  messages: StoredMessage[];
  /** Conversations that a human held at some time. */
  handedOver: ReadonlySet<string>;
  /** Ids of attempts to deliver, each as often as it is logged. */
  attempts: string[];
};

export type StoredVerdict = {
  /** Ids of messages and attempts stored more than once, users' messages stored more often than they were sent, and replies beyond one to a message. */
  storedTwice: string[];
  /** Refused because of a human who was never there. */
  falseRefusals: Call[];
  /** Calls with a 2xx whose message, or whose reply, is not stored. */
  notStored: Call[];
};

const HUMAN = /\bhuman\b/;

/** Compares what callers were told with what is stored: an accepted call is one message and at most one reply. */
export function judgeStored(calls: Call[], { messages, handedOver, attempts }: Stored): StoredVerdict {
  const timesSent = countBy(calls, placeOf);
  const timesById = countBy(messages, ({ id }) => id);
  const users = messages.filter(({ sender }) => sender === "user");
  const timesStored = countBy(users, placeOf);
  const questions = countBy(users, ({ conversationId }) => conversationId);
  const replies = countBy(
    messages.filter(({ sender }) => sender === "ai"),
    ({ conversationId }) => conversationId,
  );
  return {
    storedTwice: [
      ...over(timesById, () => 1, "the id"),
      ...over(
        countBy(attempts, (id) => id),
        () => 1,
        "the attempt",
      ),
      ...over(timesStored, (place) => timesSent.get(place) ?? 0, "the user's message"),
      ...over(replies, (conversation) => questions.get(conversation) ?? 0, "replies in"),
    ],
    falseRefusals: calls.filter(
      ({ refusal = "", conversationId }) => HUMAN.test(refusal) && !handedOver.has(conversationId),
    ),
    notStored: calls.filter(
      (call) =>
        call.isAnswered &&
        (!timesStored.has(placeOf(call)) || (call.messageId !== undefined && !timesById.has(call.messageId))),
    ),
  };
}

export async function readStored({ database }: Pick<Bed, "database">): Promise<Stored> {
  const messages = await database.query<{
    conversation_id: string;
    id: string;
    sender: StoredMessage["sender"];
    text: string;
  }>("select conversation_id, id, sender, text from message");
  const attempts = await database.query<{ id: string }>("select id from attempt");
  const handoffs = await database.query<{ conversation_id: string }>("select conversation_id from handoff");
  return {
    messages: messages.map(({ conversation_id: conversationId, ...message }) => ({
      conversationId,
      ...message,
    })),
    attempts: attempts.map(({ id }) => id),
    handedOver: new Set(handoffs.map(({ conversation_id }) => conversation_id)),
  };
}

function placeOf({ conversationId, text }: { conversationId: string; text: string }): string {
  return JSON.stringify([conversationId, text]);
}

function countBy<One>(list: One[], nameOf: (one: One) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of list) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1);
  return counts;
}

function over(counts: Map<string, number>, most: (name: string) => number, what: string): string[] {
  return [...counts].flatMap(([name, count]) =>
    count > most(name) ? [`${what} ${name}: ${count} times`] : [],
  );
}
