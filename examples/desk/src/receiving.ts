import { createReceiver, type Receiver, type ReceiverOptions } from "@signalbox/sdk/receiver";
import type { Store } from "./store.ts";

export type DeskCredentials = Pick<ReceiverOptions, "username" | "secret" | "signingSecrets">;

type Requested = Parameters<NonNullable<ReceiverOptions["onHandoffRequested"]>>[0];

/** Sections 4.6 to 4.8: what the service tells this desk, each call once, together with the note that it was handled. */
export function createDeskReceiver(
  credentials: DeskCredentials,
  store: Store,
  changed: (conversationId: string) => void,
): Receiver {
  function handle(webhookId: string, conversationId: string, work: () => void): void {
    store.inTransaction(() => {
      if (store.rememberCall(webhookId, Date.now()) > 0) work();
    });
    changed(conversationId);
  }

  function open(
    { conversation_id, timestamp, bot_id, email, body, user_info }: Requested,
    isLeft: boolean,
  ): void {
    store.addConversation({
      id: conversation_id,
      agent_id: bot_id,
      opened_at: timestamp,
      email: email ?? user_info.email,
      phone: user_info.phone,
      user_id: user_info.user_id,
      anonymous_id: user_info.anonymous_id,
      is_left: isLeft ? 1 : 0,
    });
    for (const { text, message_type } of body)
      store.addEntry({
        conversation_id,
        at: timestamp,
        kind: message_type === "QUESTION" ? "user" : "agent",
        who: null,
        text,
        state: "done",
      });
  }

  return createReceiver({
    ...credentials,
    deduplication: {
      claim: (id) => Promise.resolve(store.wasHandled(id) ? "handled" : "claimed"),
      // Written with the effect itself, so that no crash comes between the two.
      confirm: () => Promise.resolve(),
      release: () => Promise.resolve(),
    },
    onHandoffRequested(body, { webhookId }) {
      handle(webhookId, body.conversation_id, () => open(body, false));
    },
    onMessageLeft(body, { webhookId }) {
      handle(webhookId, body.conversation_id, () => open(body, true));
    },
    onUserMessage({ conversation_id, timestamp, body }, { webhookId }) {
      handle(webhookId, conversation_id, () => {
        // A request that was given up elsewhere must not take the user's words with it.
        store.addConversation({ ...UNKNOWN, id: conversation_id, opened_at: timestamp });
        store.addEntry({ ...SAID, conversation_id, at: timestamp, text: body });
      });
    },
    onHandoffClosed({ conversation_id, timestamp, type }, { webhookId }) {
      handle(webhookId, conversation_id, () => {
        const conversation = store.conversation(conversation_id);
        // A user who left a message waits for an answer by email: a human ends that.
        if (conversation === undefined || conversation.is_left === 1) return;
        const by = type === "USER_CLOSED" ? "user" : "timeout";
        if (!store.end(conversation_id, timestamp, by)) return;
        store.addEntry({ ...SAID, conversation_id, at: timestamp, kind: "ended", text: by });
      });
    },
  });
}

const UNKNOWN = { agent_id: null, email: null, phone: null, user_id: null, anonymous_id: null, is_left: 0 };
const SAID = { kind: "user", who: null, state: "done" } as const;
