import type { Attachment, ChatEvent, Holder, Rating, Sender } from "./transport.ts";

export interface ShownMessage {
  /** Stays the same from the moment the user sends it. */
  key: string;
  sender: Sender;
  text: string;
  attachments?: readonly Attachment[] | undefined;
  /** The name of the human who speaks, where it is known. */
  name?: string | undefined;
  at: number;
  state: "sending" | "sent" | "failed";
  /** Questions the user may choose from. */
  suggestions?: readonly string[] | undefined;
  /** Its place in the conversation, once it has one. */
  sequence?: number | undefined;
  /** A human has seen it: shown beneath the user's last message. */
  isSeen?: boolean;
  /** The service's own id, once it has one. */
  messageId?: string | undefined;
  rating?: Rating | undefined;
}

export interface ConversationState {
  messages: readonly ShownMessage[];
  holder: Holder;
  isTyping: boolean;
  /** The name of the human who types, where it is known. */
  typist?: string | undefined;
  /** How far a human has seen what the user wrote. */
  seen: number;
  /** History is shown; what comes from now on is new. */
  isCaughtUp: boolean;
  connection: "idle" | "connecting" | "open" | "lost";
  /** Asking for a person, or ending with one, did not work. */
  hasFailed: boolean;
  /** A chat with a human is over, and nobody has said yet how it was. */
  asksForRating: boolean;
  /** How far events were read, to go on from there. */
  cursor: string | undefined;
}

export const EMPTY: ConversationState = {
  messages: [],
  holder: "agent",
  isTyping: false,
  seen: 0,
  isCaughtUp: true,
  connection: "idle",
  hasFailed: false,
  asksForRating: false,
  cursor: undefined,
};

export function applyEvent(state: ConversationState, event: ChatEvent): ConversationState {
  switch (event.type) {
    case "message":
      return withSeen(withMessage(state, event));
    case "control":
      return { ...withHolder(state, event.holder), isTyping: false, hasFailed: false };
    case "typing":
      return { ...state, isTyping: true, typist: event.name };
    case "seen":
      return withSeen({ ...state, seen: Math.max(state.seen, event.sequence) });
    case "ready":
      return { ...state, isCaughtUp: true, connection: "open" };
  }
}

/** As soon as a chat with a human is over, the user is asked how it was. */
export function withHolder(state: ConversationState, holder: Holder): ConversationState {
  const hasEnded = state.holder === "human" && holder === "agent";
  return { ...state, holder, asksForRating: holder === "agent" && (hasEnded || state.asksForRating) };
}

function withMessage(
  state: ConversationState,
  {
    messageId,
    clientId,
    sender,
    text,
    attachments,
    name,
    at,
    cursor,
    suggestions,
  }: ChatEvent & { type: "message" },
): ConversationState {
  const key = clientId ?? messageId;
  const shown: ShownMessage = {
    key,
    sender,
    text,
    attachments,
    name,
    at,
    state: "sent",
    suggestions,
    messageId,
    sequence: Number(cursor),
  };
  const isKnown = state.messages.some((message) => message.key === key);
  return {
    ...state,
    cursor,
    // A human goes on typing while the user writes.
    isTyping: state.isTyping && state.holder !== "agent" && sender === "user",
    messages: isKnown
      ? state.messages.map((message) => (message.key === key ? { ...shown, at: message.at } : message))
      : [...state.messages, shown],
  };
}

function withSeen(state: ConversationState): ConversationState {
  const last = state.messages.findLast(({ sender }) => sender === "user");
  const messages = state.messages.map((message) => {
    const isSeen = message === last && (message.sequence ?? Infinity) <= state.seen;
    return (message.isSeen ?? false) === isSeen ? message : { ...message, isSeen };
  });
  return { ...state, messages };
}

export type OwnMessage = Pick<ShownMessage, "key" | "text" | "attachments" | "at">;

export function addOwn(state: ConversationState, message: OwnMessage): ConversationState {
  const own: ShownMessage = { ...message, sender: "user", state: "sending" };
  return withSeen({ ...state, messages: [...state.messages.filter(({ key }) => key !== own.key), own] });
}

/** What the stream has told is sent, whatever became of the call that sent it. */
export function markOwn(
  state: ConversationState,
  key: string,
  marked: ShownMessage["state"],
): ConversationState {
  return {
    ...state,
    messages: state.messages.map((message) =>
      message.key === key && message.state === "sending" ? { ...message, state: marked } : message,
    ),
  };
}
