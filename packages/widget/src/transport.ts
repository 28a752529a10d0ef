/** Who speaks: the user, the agent, a human of the developer's, or the service itself with a notice. */
export type Sender = "user" | "ai" | "human" | "system";

/** Who answers the user now: the agent, nobody yet because a human was asked for, or a human. */
export type Holder = "agent" | "waiting" | "human";

/** What the user thinks of an answer, or of a chat with a human. */
export type Rating = "good" | "bad";

/** A file that the user sent, by its address. */
export interface Attachment {
  type: "image" | "audio" | "document";
  url: string;
  name?: string | undefined;
}

export type ChatEvent =
  /** Something was said. `clientId` is the one the user's own message was sent with. */
  | {
      type: "message";
      cursor: string;
      messageId: string;
      sender: Sender;
      text: string;
      attachments?: readonly Attachment[] | undefined;
      /** The name of the human who speaks, where it is known. */
      name?: string | undefined;
      at: number;
      clientId: string | undefined;
      /** Questions the user may choose from. */
      suggestions?: readonly string[] | undefined;
    }
  | { type: "control"; holder: Holder }
  /** The agent types, or a human: by their name, where it is known. */
  | { type: "typing"; name?: string | undefined }
  /** A human has seen the user's messages up to this one, by the number of its cursor. */
  | { type: "seen"; sequence: number }
  /** Everything said before has been told. */
  | { type: "ready" };

/** An earlier chat of the user's, by the beginning of what was said last. */
export interface ListedConversation {
  conversationId: string;
  at: number;
  text: string;
}

/**
 * How the widget reaches the live channel. Everything rejects with a `ChatFailure` when it fails; `clientId` makes a repeat of
 * the same message harmless.
 */
export interface ChatTransport {
  begin(): Promise<{ conversationId: string }>;
  /** The user's own, newest first. */
  list(): Promise<ListedConversation[]>;
  send(
    conversationId: string,
    message: { clientId: string; text: string; attachments?: readonly Attachment[] | undefined },
  ): Promise<void>;
  /** The user types, and a human may see it. Called at most every three seconds. */
  type?(conversationId: string): Promise<void>;
  /** The user has seen what was said, up to a message by the number of its cursor. */
  seen?(conversationId: string, sequence: number): Promise<void>;
  /** Away: nobody is there now, the user was told so, and the agent goes on. */
  askForPerson(conversationId: string): Promise<{ isAway: boolean }>;
  endWithPerson(conversationId: string): Promise<void>;
  /** An answer of the agent, or the conversation without a `messageId`. A later rating of the same replaces it. */
  rate(
    conversationId: string,
    rated: { rating: Rating; messageId?: string | undefined; comment?: string | undefined },
  ): Promise<void>;
  /** The messages after the cursor, or all without one, and then those that come, until the stream breaks off. */
  follow(conversationId: string, after: string | undefined, signal: AbortSignal): AsyncIterable<ChatEvent>;
}

/** `gone`: this conversation cannot be gone on with. `again`: trying again may help. */
export class ChatFailure extends Error {
  override readonly name = "ChatFailure";
  readonly kind: "gone" | "again" | "refused";

  constructor(kind: "gone" | "again" | "refused", message: string) {
    super(message);
    this.kind = kind;
  }
}
