import { addOwn, applyEvent, type ConversationState, EMPTY, markOwn, withHolder } from "./conversation.ts";
import type { Memory } from "./memory.ts";
import {
  type Attachment,
  ChatFailure,
  type ChatTransport,
  type ListedConversation,
  type Rating,
} from "./transport.ts";

export interface Session {
  state: () => ConversationState;
  /** Goes on with the conversation of an earlier visit, if there is one. */
  resume: () => void;
  /** The user's earlier chats. */
  list: () => Promise<ListedConversation[]>;
  /** Goes on with another chat. */
  open: (conversationId: string) => void;
  /** The next message begins another chat. */
  startNew: () => void;
  send: (text: string, attachments?: readonly Attachment[]) => void;
  /** The shown messages may have become visible. */
  look: () => void;
  /** The user changes what they write. */
  type: () => void;
  retry: (key: string) => void;
  askForPerson: () => void;
  endWithPerson: () => void;
  /** An answer, or without a `messageId` the chat with a human. */
  rate: (rated: { rating: Rating; messageId?: string | undefined; comment?: string | undefined }) => void;
  stop: () => void;
}

export interface SessionOptions {
  transport: ChatTransport;
  memory: Memory;
  onChange: (state: ConversationState) => void;
  /** Whether the user has what was said before their eyes. */
  isShown: () => boolean;
  newId: () => string;
  now: () => number;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;
const TYPING_MS = 6_000;
const TYPING_EVERY_MS = 3_000;

export function createSession(options: SessionOptions): Session {
  const { transport, memory, onChange, isShown, newId, now } = options;
  let state: ConversationState = EMPTY;
  let conversation: Promise<string> | undefined;
  let sending: Promise<void> = Promise.resolve();
  let telling: Promise<void> = Promise.resolve();
  let typing: ReturnType<typeof setTimeout> | undefined;
  let typedAt = -Infinity;
  /** What the service was told that the user has seen. */
  let seen = 0;
  const stopped = new AbortController();
  /** Ends the stream of a chat that the user has left for another. */
  let left = new AbortController();

  function change(next: ConversationState): void {
    if (next === state || stopped.signal.aborted) return;
    state = next;
    try {
      onChange(state);
    } catch (error) {
      // A mistake of the view is no broken line: reconnecting would meet it again.
      reportError(error);
    }
    markSeen();
  }

  /** Tells humans that their last message is before the user's eyes. */
  function markSeen(): void {
    const last = state.messages.findLast(({ sender }) => sender === "human")?.sequence ?? 0;
    if (state.holder === "agent" || last <= seen || !isShown()) return;
    seen = last;
    void conversation
      ?.then((id) => transport.seen?.(id, last))
      // The next change tries again.
      .catch(() => (seen = Math.min(seen, last - 1)));
  }

  function current(): Promise<string> {
    conversation ??= begin().catch((error: unknown) => {
      conversation = undefined;
      throw error;
    });
    return conversation;
  }

  async function begin(): Promise<string> {
    const { conversationId } = await transport.begin();
    memory.write({ conversationId });
    void follow(conversationId);
    return conversationId;
  }

  /** Listens until it is stopped, and comes back from where it was after the line broke. */
  async function follow(conversationId: string): Promise<void> {
    const ended = AbortSignal.any([stopped.signal, left.signal]);
    for (let failures = 0; !ended.aborted; failures += 1) {
      // Lines are cut now and then and are back at once: that is no news.
      if (failures !== 1) change({ ...state, connection: failures === 0 ? "connecting" : "lost" });
      try {
        for await (const event of transport.follow(conversationId, state.cursor, ended)) {
          if (ended.aborted) return;
          failures = 0;
          change({ ...applyEvent(state, event), connection: "open" });
          if (event.type === "typing") letTypingLapse();
        }
      } catch (error) {
        if (ended.aborted) return;
        if (error instanceof ChatFailure && error.kind === "gone") return forget();
      }
      const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      await pause(delayMs * (0.5 + Math.random() / 2), ended);
    }
  }

  function letTypingLapse(): void {
    clearTimeout(typing);
    typing = setTimeout(() => change({ ...state, isTyping: false }), TYPING_MS);
  }

  /** The conversation is gone: what was said stays on the screen, and the next message begins another. */
  function forget(): void {
    conversation = undefined;
    memory.write({ conversationId: undefined });
    change({ ...state, connection: "idle", cursor: undefined, holder: "agent", isCaughtUp: true });
  }

  /** Empties the screen for another chat. What could not be sent is given up. */
  function leave(): void {
    left.abort();
    left = new AbortController();
    conversation = undefined;
    seen = 0;
    clearTimeout(typing);
    memory.write({ conversationId: undefined, unsent: [] });
    change(EMPTY);
  }

  function keepUnsent(): void {
    const unsent = state.messages.filter((message) => message.state !== "sent");
    memory.write({
      unsent: unsent.map(({ key, text, attachments, at }) => ({ key, text, attachments, at })),
    });
  }

  /** One after the other, so that they arrive in the order in which they were written. */
  function deliver(key: string, text: string, attachments?: readonly Attachment[]): void {
    change(addOwn(state, { key, text, attachments, at: now() }));
    keepUnsent();
    sending = sending.then(async () => {
      try {
        await transport.send(await current(), { clientId: key, text, attachments });
        change(markOwn(state, key, "sent"));
      } catch (error) {
        if (error instanceof ChatFailure && error.kind === "gone") forget();
        change(markOwn(state, key, "failed"));
      }
      keepUnsent();
    });
  }

  /** Shows at once what was asked for, and takes it back where it does not come about. */
  async function hold(
    next: ConversationState["holder"],
    act: (id: string) => Promise<boolean>,
  ): Promise<void> {
    const before = state.holder;
    change({ ...withHolder(state, next), hasFailed: false });
    try {
      const isSo = await act(await current());
      if (!isSo) change(withHolder(state, before));
    } catch {
      change({ ...withHolder(state, before), hasFailed: true });
    }
  }

  return {
    state: () => state,
    resume() {
      const { conversationId, unsent } = memory.read();
      if (conversationId !== undefined && conversation === undefined) {
        conversation = Promise.resolve(conversationId);
        change({ ...state, isCaughtUp: false });
        void follow(conversationId);
      }
      for (const message of unsent) change(markOwn(addOwn(state, message), message.key, "failed"));
    },
    list: () => transport.list(),
    open(conversationId) {
      leave();
      memory.write({ conversationId });
      conversation = Promise.resolve(conversationId);
      change({ ...state, isCaughtUp: false });
      void follow(conversationId);
    },
    startNew: leave,
    send(text, attachments) {
      typedAt = -Infinity;
      deliver(newId(), text, attachments);
    },
    look: markSeen,
    type() {
      if (state.holder === "agent" || conversation === undefined || now() - typedAt < TYPING_EVERY_MS) return;
      typedAt = now();
      // Not shown is the worst that follows.
      void conversation.then((id) => transport.type?.(id)).catch(() => undefined);
    },
    retry(key) {
      const message = state.messages.find(
        (candidate) => candidate.key === key && candidate.state === "failed",
      );
      if (message !== undefined) deliver(key, message.text, message.attachments);
    },
    askForPerson: () => void hold("waiting", async (id) => !(await transport.askForPerson(id)).isAway),
    endWithPerson: () => void hold("agent", (id) => transport.endWithPerson(id).then(() => true)),
    rate(rated) {
      const { messageId, rating } = rated;
      if (messageId !== undefined)
        memory.write({ ratings: { ...memory.read().ratings, [messageId]: rating } });
      // One after the other: a word that follows a thumb must not be overtaken by it.
      telling = telling
        .then(async () => transport.rate(await current(), rated))
        .catch(() => change({ ...state, hasFailed: true }));
    },
    stop() {
      clearTimeout(typing);
      stopped.abort();
    },
  };
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
